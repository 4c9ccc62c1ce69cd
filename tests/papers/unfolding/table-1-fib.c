// CONCUR 2015, table 1, FIB: two threads add to each other's variable. FIB* has the bound 144, which can be reached.
//? verdict: verified
//? executions of optimal: 8953
//? executions of optimal, N=3: 141
// Published: 8953 configurations.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 5
#endif
#ifndef BOUND
#define BOUND 144
#endif

static atomic_int i = 1, j = 1;

static void *first(void *unused) {
    for (int k = 0; k < N; k++) {
        int t = j;
        i = i + t;
    }
    return unused;
}

static void *second(void *unused) {
    for (int k = 0; k < N; k++) {
        int t = j;
        j = t + i;
    }
    return unused;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0), pthread_join(b, 0);
    assert(i <= BOUND && j <= BOUND);
}
