// Test and test-and-set: a loop that only reads within one that tries. Either may have to go round.
//? verdict: verified
//? races: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

static atomic_int lock;
static int count;

static _Bool try_lock(void) {
    return atomic_exchange(&lock, 1) == 0;
}

static void *work(void *unused) {
    for (;;) {
        while (atomic_load(&lock)) continue;
        if (try_lock()) break;
    }
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
