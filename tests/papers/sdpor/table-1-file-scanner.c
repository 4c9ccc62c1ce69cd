// SPIN 2008, table 1, like `pfscan`: the main thread puts the names of files into a queue, workers take them and look for
// matches; at the end main closes the queue and waits until the last worker has said goodbye. Without the scanning.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#ifndef WORKERS
#define WORKERS 2
#endif
#define FILES 2
#define ROOM 2

static pthread_mutex_t queue = PTHREAD_MUTEX_INITIALIZER, matches_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t working_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static int queued, closed, matches, working = WORKERS;

static void put(void) {
    pthread_mutex_lock(&queue);
    while (queued == ROOM) pthread_cond_wait(&not_full, &queue);
    queued++;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&queue);
}

static void finish(void) {
    pthread_mutex_lock(&queue);
    closed = 1;
    pthread_cond_broadcast(&not_empty);
    pthread_mutex_unlock(&queue);
}

static int take(void) {
    pthread_mutex_lock(&queue);
    while (queued == 0 && !closed) pthread_cond_wait(&not_empty, &queue);
    int found = queued > 0;
    if (found) {
        queued--;
        pthread_cond_signal(&not_full);
    }
    pthread_mutex_unlock(&queue);
    return found;
}

static void *worker(void *unused) {
    while (take()) {
        pthread_mutex_lock(&matches_lock);
        matches++;
        pthread_mutex_unlock(&matches_lock);
    }
    pthread_mutex_lock(&working_lock);
    working--;
    pthread_cond_signal(&all_done);
    pthread_mutex_unlock(&working_lock);
    return unused;
}

int main(void) {
    for (int i = 0; i < WORKERS; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, worker, 0);
    }
    for (int i = 0; i < FILES; i++) put();
    finish();
    pthread_mutex_lock(&working_lock);
    while (working > 0) pthread_cond_wait(&all_done, &working_lock);
    pthread_mutex_unlock(&working_lock);
    assert(matches == FILES);
}
