// Additions whose result is not used commute: one execution.
//? verdict: verified
//? executions of optimal, N=5: 1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif
atomic_int sum;
void *add(void *argument) { atomic_fetch_add(&sum, (int)(long)argument); return 0; }
int main(void) {
    pthread_t threads[N];
    for (long k = 0; k < N; k++) pthread_create(&threads[k], 0, add, (void *)(k + 1));
    for (int k = 0; k < N; k++) pthread_join(threads[k], 0);
    assert(sum == N * (N + 1) / 2);
    return 0;
}
