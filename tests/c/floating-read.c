// N threads write one variable, and one reads it: (N + 1)! orders.
//? verdict: verified
//? executions of optimal, N=3: 24
//? executions of optimal, N=5: 720
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif
atomic_int x;
void *writer(void *value) { x = (int)(long)value; return 0; }
void *reader(void *unused) { int seen = x; return (void *)(long)seen; }
int main(void) {
    pthread_t threads[N + 1];
    for (long k = 0; k < N; k++) pthread_create(&threads[k], 0, writer, (void *)(k + 1));
    pthread_create(&threads[N], 0, reader, 0);
    return 0;
}
