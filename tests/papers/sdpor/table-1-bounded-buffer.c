// SPIN 2008, table 1, `bbuf`: a ring buffer with a mutex and two condition variables, between two producers and two
// consumers.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#ifndef ITEMS
#define ITEMS 2
#endif
#define SIZE 2

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int slots[SIZE], head, count;

static void *producer(void *item) {
    for (int n = 0; n < ITEMS; n++) {
        pthread_mutex_lock(&m);
        while (count == SIZE) pthread_cond_wait(&not_full, &m);
        slots[(head + count) % SIZE] = (int)(long)item;
        count++;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&m);
    }
    return 0;
}

static void *consumer(void *unused) {
    for (int n = 0; n < ITEMS; n++) {
        pthread_mutex_lock(&m);
        while (count == 0) pthread_cond_wait(&not_empty, &m);
        int item = slots[head];
        slots[head] = 0;
        head = (head + 1) % SIZE;
        count--;
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&m);
        assert(item > 0);
    }
    return unused;
}

int main(void) {
    pthread_t threads[4];
    for (long i = 0; i < 2; i++) {
        pthread_create(&threads[i], 0, producer, (void *)(i + 1));
        pthread_create(&threads[2 + i], 0, consumer, 0);
    }
    for (int i = 0; i < 4; i++) pthread_join(threads[i], 0);
    assert(count == 0);
}
