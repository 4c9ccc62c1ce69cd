// SPIN 2008, table 1, like `bzip2smp`: a reader hands out blocks, workers compress them, and a writer writes the results in
// the order of the blocks. Without the compressing.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#ifndef WORKERS
#define WORKERS 2
#endif
#define BLOCKS 2

static pthread_mutex_t input = PTHREAD_MUTEX_INITIALIZER, output = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t something_read = PTHREAD_COND_INITIALIZER, something_ready = PTHREAD_COND_INITIALIZER;
static int blocks_read, handed, ready[BLOCKS];

static void *reader(void *unused) {
    for (int b = 0; b < BLOCKS; b++) {
        pthread_mutex_lock(&input);
        blocks_read++;
        pthread_cond_signal(&something_read);
        pthread_mutex_unlock(&input);
    }
    return unused;
}

static void *worker(void *unused) {
    for (;;) {
        pthread_mutex_lock(&input);
        while (handed == blocks_read && blocks_read < BLOCKS) pthread_cond_wait(&something_read, &input);
        int block = handed, at_work = block < BLOCKS;
        if (at_work) handed = block + 1;
        else pthread_cond_broadcast(&something_read);
        pthread_mutex_unlock(&input);
        if (!at_work) return unused;
        pthread_mutex_lock(&output);
        ready[block]++;
        pthread_cond_signal(&something_ready);
        pthread_mutex_unlock(&output);
    }
}

static void *writer(void *unused) {
    for (int b = 0; b < BLOCKS; b++) {
        pthread_mutex_lock(&output);
        while (!ready[b]) pthread_cond_wait(&something_ready, &output);
        assert(ready[b] == 1);
        pthread_mutex_unlock(&output);
    }
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, reader, 0);
    pthread_create(&two, 0, writer, 0);
    for (int i = 0; i < WORKERS; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, worker, 0);
    }
}
