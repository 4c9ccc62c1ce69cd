// Threads put numbers into a hash table by compare-and-swap. Up to eleven threads never meet: one execution. After the
// program `indexer` of Flanagan and Godefroid (POPL 2005); the counts are the published ones.
//? executions of optimal, N=11: 1
//? executions of optimal, N=12: 8
//? executions of optimal, N=13: 64
//? executions of event, N=12: 8
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 2
#endif
enum { SIZE = 128, MOST = 4 };
atomic_int table[SIZE];
void *insert(void *argument) {
    int number = (int)(long)argument, m = 0;
    while (m < MOST) {
        int w = (++m) * 11 + number;
        int h = (w * 7) % SIZE;
        int free = 0;
        while (!atomic_compare_exchange_strong(&table[h], &free, w)) {
            h = (h + 1) % SIZE;
            free = 0;
        }
    }
    return 0;
}
int main(void) {
    pthread_t threads[N];
    for (long k = 0; k < N; k++) pthread_create(&threads[k], 0, insert, (void *)k);
    return 0;
}
