// CONCUR 2015, table 1, CCNF(n): threads in pairs, each pair writes a variable of its own: 2^((n - 1) / 2) traces.
//? verdict: verified
//? traces: 16
//? executions of optimal, PAIRS=8: 256
//? executions of optimal, PAIRS=9: 512
// Published: 16, 256 and 512 configurations for n = 9, 17 and 19.
#include <pthread.h>
#include <stdatomic.h>
#ifndef PAIRS
#define PAIRS 4
#endif

static atomic_int x[PAIRS];

static void *even(void *i) { x[(long)i] = 1; return 0; }
static void *odd(void *i) { x[(long)i] = 2; return 0; }

int main(void) {
    for (long i = 0; i < PAIRS; i++) {
        pthread_t a, b;
        pthread_create(&a, 0, even, (void *)i);
        pthread_create(&b, 0, odd, (void *)i);
    }
}
