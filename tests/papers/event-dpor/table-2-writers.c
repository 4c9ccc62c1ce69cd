// NETYS 2023, table 2, `writers`: N threads each post one message, and every message writes the same variable. N! orders.
//? verdict: verified
//? executions of optimal: 24
//? executions of event: 24
//? executions of event, N=6: 720
#include <assert.h>
#include <mazurka.h>
#include <pthread.h>
#ifndef N
#define N 4
#endif

static mazurka_handler h;
static int x = -1;

static void write_it(void *i) {
    x = (int)(long)i;
    assert(x == (int)(long)i);
}

static void *poster(void *i) {
    mazurka_post(h, write_it, i);
    return 0;
}

int main(void) {
    h = mazurka_any("h");
    for (long i = 0; i < N; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, poster, (void *)i);
    }
}
