// CONCUR 2015, table 1, SSB: what one thread reads decides whether another one writes. In SSB(n) the last thread goes on
// until y is n.
//? verdict: verified
//? traces: 4
//? executions of optimal, N=1: 22
//? executions of optimal, N=3: 169
//? executions of optimal, N=4: 336
//? executions of optimal, N=8: 2014
// Published: 4, and 22, 169, 336 and 2014 traces. POET's own file for SSB(1) has `if (y < N)` where those for 3, 4 and 8 have
// the loop: without it there are 17.
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, z;

static void *p(void *unused) { x = 1; return unused; }
static void *q(void *unused) { y = 1; return unused; }
static void *r(void *unused) { if (y == 0) z = 1; return unused; }

static void *s(void *unused) {
#ifdef N
    while (y < N) {
        if (z == 1) x = 2;
        y = y + 1;
    }
#else
    if (z == 1) x = 2;
#endif
    return unused;
}

int main(void) {
    void *(*all[])(void *) = { p, q, r, s };
    for (int i = 0; i < 4; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, all[i], 0);
    }
}
