// A lock that is taken by comparing and exchanging: what is expected is set again before each try, and is the same in every
// round. Each order of the threads is one execution, N!.
//? verdict: verified
//? races: none
//? executions of optimal: 2
//? executions of optimal, N=3: 6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

static atomic_int lock;
static int count;

static void *work(void *unused) {
    int expected = 0;
    while (!atomic_compare_exchange_strong(&lock, &expected, 1)) expected = 0;
    count++;
    atomic_store(&lock, 0);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    assert(count == N);
}
