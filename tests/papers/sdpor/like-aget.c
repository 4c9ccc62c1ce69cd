// Like `aget`, a downloader of the evaluation of Inspect: threads fetch parts of a file, add what they have to one counter
// under a lock, and the one that is interrupted saves the counter. The save does not take the lock: a data race.
//? verdict: violated
//? violation: race
#include <pthread.h>
#ifndef THREADS
#define THREADS 2
#endif
#define PARTS 1

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long written, saved;

static void *fetch(void *unused) {
    for (int part = 0; part < PARTS; part++) {
        pthread_mutex_lock(&lock);
        written += 512;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *interrupted(void *unused) {
#ifdef REPAIRED
    pthread_mutex_lock(&lock);
#endif
    saved = written;
#ifdef REPAIRED
    pthread_mutex_unlock(&lock);
#endif
    return unused;
}

int main(void) {
    pthread_t threads[THREADS], handler;
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], 0, fetch, 0);
    pthread_create(&handler, 0, interrupted, 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], 0);
    pthread_join(handler, 0);
}
