// N threads try to be the first: one of them wins, whichever comes first.
//? verdict: verified
//? executions of optimal, N=3: 3
//? executions of optimal, N=6: 6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif
atomic_int winner;
void *run(void *argument) {
    int expected = 0;
    int won = atomic_compare_exchange_strong(&winner, &expected, (int)(long)argument);
    assert(won || expected != 0);
    return 0;
}
int main(void) {
    pthread_t threads[N];
    for (long k = 0; k < N; k++) pthread_create(&threads[k], 0, run, (void *)(k + 1));
    return 0;
}
