// N threads each post one message to a handler, and every message writes the same variable: N! orders. After `writers` of
// Event-DPOR (NETYS 2023, table 2).
//? verdict: verified
//? executions of event, N=4: 24
//? executions of event, N=6: 720
#include <assert.h>
#include <mazurka.h>
#include <pthread.h>
#ifndef N
#define N 3
#endif
int x = -1;
mazurka_handler h;
void write_x(void *argument) { x = (int)(long)argument; assert(x == (int)(long)argument); }
void *poster(void *argument) { mazurka_post(h, write_x, argument); return 0; }
int main(void) {
    pthread_t threads[N];
    h = mazurka_any("h");
    for (long k = 0; k < N; k++) pthread_create(&threads[k], 0, poster, (void *)k);
    return 0;
}
