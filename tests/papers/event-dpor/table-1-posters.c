// NETYS 2023, table 1, `posters`: each message posts a second one, and both write one variable: (2N)! / 2^N orders.
//? verdict: verified
//? executions of optimal: 6
//? executions of event: 6
//? executions of event, N=3: 90
//? executions of event, N=4: 2520
#include <assert.h>
#include <mazurka.h>
#include <pthread.h>
#ifndef N
#define N 2
#endif

static mazurka_handler h;
static int x = -1;

static void second(void *i) {
    x = 2 * (int)(long)i + 1;
    assert(x == 2 * (int)(long)i + 1);
}

static void first(void *i) {
    x = 2 * (int)(long)i;
    mazurka_post(h, second, i);
    assert(x == 2 * (int)(long)i);
}

static void *poster(void *i) {
    mazurka_post(h, first, i);
    return 0;
}

int main(void) {
    h = mazurka_any("h");
    for (long i = 0; i < N; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, poster, (void *)i);
    }
}
