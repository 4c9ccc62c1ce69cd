// A buffer of two places between a producer and a consumer: one semaphore counts the free places, one counts the items.
//? verdict: verified
//? races: none
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

#ifndef ITEMS
#define ITEMS 3
#endif
#define SIZE 2

static int slots[SIZE];
static sem_t places, items;

static void *producer(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&places);
        slots[i % SIZE] = i + 1;
        sem_post(&items);
    }
    return unused;
}

static void *consumer(void *unused) {
    for (int i = 0; i < ITEMS; i++) {
        sem_wait(&items);
        assert(slots[i % SIZE] == i + 1);
        sem_post(&places);
    }
    return unused;
}

int main(void) {
    pthread_t one, two;
    sem_init(&places, 0, SIZE);
    sem_init(&items, 0, 0);
    pthread_create(&one, 0, producer, 0);
    pthread_create(&two, 0, consumer, 0);
    pthread_join(one, 0), pthread_join(two, 0);
}
