// Posts go through a function of their own that packs the message up, as in a header that also works with threads alone.
// Beside it stands code that waits and that no message can come to: the messages still conflict with each other only by
// what they do, and these two kinds do nothing in common.
//? verdict: verified
//? executions of event, N=2: 4
//? executions of event, N=3: 36
//? executions of optimal, N=2: 24
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#ifndef N
#define N 2
#endif
typedef unsigned long queue;
int qthread_create(queue *handler, void *(*run)(void *), void *argument) { *handler = 7; return -1; }
int qthread_start(queue handler) { return -1; }
int qthread_exec(void) { return -1; }
int qthread_post_event(queue handler, void (*run)(void *), void *argument) { return -1; }

struct packed { void (*run)(void *); void *argument; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static queue handler;

static void *alone(void *argument) {
    struct packed *packed = argument;
    pthread_mutex_lock(&lock);
    packed->run(packed->argument);
    pthread_mutex_unlock(&lock);
    return 0;
}
static void unpack(void *argument) {
    struct packed *packed = argument;
    packed->run(packed->argument);
}
static void post(void (*run)(void *), void *argument, int threads) {
    struct packed *packed = malloc(sizeof *packed);
    packed->run = run;
    packed->argument = argument;
    pthread_t thread;
    if (threads) pthread_create(&thread, 0, alone, packed);
    else assert(qthread_post_event(handler, unpack, packed) == 0);
}
static void create(queue *handler, void *(*run)(void *)) { assert(qthread_create(handler, run, 0) == 0); }

static void set_x(void *argument) { x = (int)(long)argument; }
static void set_y(void *argument) { y = (int)(long)argument; }
static void *serve(void *unused) { qthread_exec(); return 0; }
int main(void) {
    create(&handler, serve);
    qthread_start(handler);
    for (long k = 1; k <= N; k++) {
        post(set_x, (void *)k, 0);
        post(set_y, (void *)k, 0);
    }
    return 0;
}
