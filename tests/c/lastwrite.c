// N threads write one variable, which is read when all have ended: N! orders.
//? verdict: verified
//? executions of optimal, N=4: 24
//? executions of optimal, N=6: 720
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
atomic_int x;
void *writer(void *value) { x = (int)(long)value; return 0; }
int main(void) {
    pthread_t threads[N];
    for (long k = 0; k < N; k++) pthread_create(&threads[k], 0, writer, (void *)(k + 1));
    for (int k = 0; k < N; k++) pthread_join(threads[k], 0);
    assert(x > 0);
    return 0;
}
