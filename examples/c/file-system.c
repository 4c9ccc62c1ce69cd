// THREADS threads give a block to a file each; a file has a lock, and so has a block. From Flanagan and Godefroid (POPL 2005).
//? verdict: verified
//? traces: 1
//? executions of optimal, THREADS=14: 2
//? executions of optimal, THREADS=16: 8
#include <pthread.h>
#ifndef THREADS
#define THREADS 2
#endif
#define FILES 32
#define BLOCKS 26

static pthread_mutex_t file_lock[FILES], block_lock[BLOCKS];
static int block_of[FILES], busy[BLOCKS];

static void *worker(void *argument) {
    int file = (int)(long)argument % FILES;
    pthread_mutex_lock(&file_lock[file]);
    if (block_of[file] == 0) {
        for (int b = file * 2 % BLOCKS, found = 0; !found; b = (b + 1) % BLOCKS) {
            pthread_mutex_lock(&block_lock[b]);
            if (!busy[b]) {
                busy[b] = 1;
                block_of[file] = b + 1;
                found = 1;
            }
            pthread_mutex_unlock(&block_lock[b]);
        }
    }
    pthread_mutex_unlock(&file_lock[file]);
    return 0;
}

int main(void) {
    for (long t = 0; t < THREADS; t++) {
        pthread_t thread;
        pthread_create(&thread, 0, worker, (void *)t);
    }
}
