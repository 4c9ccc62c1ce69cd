// THREADS threads put 4 words each into a hash table of 128 places, and take the next place where one is taken. Up to
// 11 of them never collide. From Flanagan and Godefroid (POPL 2005).
//? verdict: verified
//? traces: 1
//? executions of optimal, THREADS=12: 8
//? executions of optimal, THREADS=13: 64
#include <pthread.h>
#include <stdatomic.h>
#ifndef THREADS
#define THREADS 2
#endif
#define SIZE 128

static atomic_int table[SIZE];

static void *writer(void *argument) {
    int t = (int)(long)argument;
    for (int m = 1; m < 5; m++) {
        int word = m * 11 + t, place = word * 7 % SIZE, empty = 0;
        while (!atomic_compare_exchange_strong(&table[place], &empty, word)) {
            place = (place + 1) % SIZE;
            empty = 0;
        }
    }
    return 0;
}

int main(void) {
    for (long t = 0; t < THREADS; t++) {
        pthread_t thread;
        pthread_create(&thread, 0, writer, (void *)t);
    }
}
