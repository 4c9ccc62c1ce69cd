// A ticket lock: the order of the tickets is all that matters, N! executions.
//? verdict: verified
//? races: none
//? executions of optimal: 2
//? executions of optimal, N=3: 6
//? executions of optimal, N=4: 24
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif

static atomic_int next, serving;
static int count;

static void take(void) {
    int mine = atomic_fetch_add(&next, 1);
    while (atomic_load(&serving) != mine) continue;
}

static void *work(void *unused) {
    take();
    count++;
    atomic_fetch_add(&serving, 1);
    return unused;
}

int main(void) {
    pthread_t threads[N];
    for (int i = 0; i < N; i++) pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
    assert(count == N);
}
