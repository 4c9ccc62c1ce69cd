// The same as `writers`, with handlers that begin as threads: nothing runs before the handler takes messages.
//? verdict: verified
//? executions of event, N=3: 6
//? executions of event, N=5: 120
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 2
#endif
typedef unsigned long qthread_t;
int qthread_create(qthread_t *, void *(*)(void *), void *);
int qthread_start(qthread_t);
int qthread_exec(void);
int qthread_post_event(qthread_t, void (*)(void *), void *);

int x = -1;
qthread_t handler;
void write_x(void *argument) { x = (int)(long)argument; assert(x == (int)(long)argument); }
void *serve(void *unused) { qthread_exec(); return 0; }
void *poster(void *argument) { qthread_post_event(handler, write_x, argument); return 0; }
int main(void) {
    pthread_t threads[N];
    qthread_create(&handler, serve, 0);
    qthread_start(handler);
    for (long k = 0; k < N; k++) pthread_create(&threads[k], 0, poster, (void *)k);
    return 0;
}
