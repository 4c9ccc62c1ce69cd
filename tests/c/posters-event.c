// Each message writes a variable and posts a second one, which writes it too: (2N)! / 2^N orders. After `posters` of
// Event-DPOR (NETYS 2023, table 1).
//? verdict: verified
//? executions of event, N=3: 90
//? executions of event, N=4: 2520
#include <assert.h>
#include <mazurka.h>
#include <pthread.h>
#ifndef N
#define N 2
#endif
long x = -1;
mazurka_handler h;
void second(void *argument) { long i = (long)argument; x = 2 * i + 1; assert(x == 2 * i + 1); }
void first(void *argument) {
    long i = (long)argument;
    x = 2 * i;
    mazurka_post(h, second, argument);
    assert(x == 2 * i);
}
void *poster(void *argument) { mazurka_post(h, first, argument); return 0; }
int main(void) {
    pthread_t threads[N];
    h = mazurka_any("h");
    for (long k = 0; k < N; k++) pthread_create(&threads[k], 0, poster, (void *)k);
    return 0;
}
