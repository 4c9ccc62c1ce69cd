/* Handlers, choices and assumptions for programs that are checked. Without a checker the same program runs on threads:
   then a handler is a thread with a queue, a choice is made at random, and an assumption that is false ends the program.
   The program has to wait for its handlers at its end: mazurka_wait(). */
#ifndef MAZURKA_H
#define MAZURKA_H

typedef struct mazurka_handler *mazurka_handler; /* runs one message at a time, to its end */

#ifdef __MAZURKA__

mazurka_handler mazurka_any(const char *name);  /* takes its messages in any order */
mazurka_handler mazurka_fifo(const char *name); /* takes them in the order of arrival */
void mazurka_post(mazurka_handler, void (*message)(void *), void *argument);
int mazurka_choose(int from, int to); /* from ... to - 1: all are explored */
void mazurka_assume(int holds);       /* otherwise the execution does not count */
void mazurka_progress(void);          /* has to be called again and again, for ever */
void mazurka_atomic_begin(void);
void mazurka_atomic_end(void);
void mazurka_event(const char *name, void (*happens)(void)); /* may happen again and again */
static inline void mazurka_wait(void) { }
#define mazurka_await(holds) do { } while (!(holds)) /* waits until it holds; `holds` only reads */

#else

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

struct mazurka_message {
    void (*run)(void *);
    void *argument;
    struct mazurka_message *next;
};

struct mazurka_handler {
    struct mazurka_message *first, *last;
    pthread_cond_t posted;
};

static pthread_mutex_t mazurka_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t mazurka_atomic = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t mazurka_idle = PTHREAD_COND_INITIALIZER;
static int mazurka_open;

static void *mazurka_serve(void *argument) {
    mazurka_handler handler = (mazurka_handler)argument;
    for (;;) {
        pthread_mutex_lock(&mazurka_lock);
        while (!handler->first) pthread_cond_wait(&handler->posted, &mazurka_lock);
        struct mazurka_message *message = handler->first;
        handler->first = message->next;
        pthread_mutex_unlock(&mazurka_lock);
        message->run(message->argument);
        free(message);
        pthread_mutex_lock(&mazurka_lock);
        if (--mazurka_open == 0) pthread_cond_broadcast(&mazurka_idle);
        pthread_mutex_unlock(&mazurka_lock);
    }
    return 0;
}

static inline mazurka_handler mazurka_fifo(const char *name) {
    (void)name;
    mazurka_handler handler = (mazurka_handler)calloc(1, sizeof *handler);
    pthread_t thread;
    pthread_cond_init(&handler->posted, 0);
    pthread_create(&thread, 0, mazurka_serve, handler);
    pthread_detach(thread);
    return handler;
}

static inline mazurka_handler mazurka_any(const char *name) { return mazurka_fifo(name); }

static inline void mazurka_post(mazurka_handler handler, void (*run)(void *), void *argument) {
    struct mazurka_message *message = (struct mazurka_message *)malloc(sizeof *message);
    message->run = run;
    message->argument = argument;
    message->next = 0;
    pthread_mutex_lock(&mazurka_lock);
    if (handler->first) handler->last->next = message; else handler->first = message;
    handler->last = message;
    mazurka_open++;
    pthread_cond_signal(&handler->posted);
    pthread_mutex_unlock(&mazurka_lock);
}

static inline void mazurka_wait(void) {
    pthread_mutex_lock(&mazurka_lock);
    while (mazurka_open) pthread_cond_wait(&mazurka_idle, &mazurka_lock);
    pthread_mutex_unlock(&mazurka_lock);
}

static inline int mazurka_choose(int from, int to) { return from + rand() % (to - from); }
#define mazurka_await(holds) do { sched_yield(); } while (!(holds))
static inline void mazurka_assume(int holds) { if (!holds) exit(0); }
static inline void mazurka_progress(void) { }
static inline void mazurka_atomic_begin(void) { pthread_mutex_lock(&mazurka_atomic); }
static inline void mazurka_atomic_end(void) { pthread_mutex_unlock(&mazurka_atomic); }
static inline void mazurka_event(const char *name, void (*happens)(void)) { (void)name; happens(); }

#endif
#endif
