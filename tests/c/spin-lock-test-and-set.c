// A lock that is tried until it is free. A round that fails changes nothing, so `optimal` needs no second one: each order in
// which the threads take the lock is one execution, N!.
//? verdict: verified
//? races: none
//? executions of optimal: 2
//? executions of optimal, N=3: 6
//? executions of optimal, N=4: 24
//? executions of dpor, N=3: 6
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

static atomic_flag lock = ATOMIC_FLAG_INIT;
static int count;

static void *work(void *unused) {
    while (atomic_flag_test_and_set(&lock)) continue;
    count++;
    atomic_flag_clear(&lock);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    assert(count == N);
}
