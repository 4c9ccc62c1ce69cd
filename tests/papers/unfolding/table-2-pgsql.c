// CONCUR 2015, table 2, PGSQL: two workers of PostgreSQL hand work to each other by a latch and a flag, for ever.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int latch[2] = { 1, 0 }, flag[2] = { 1, 0 };

static void *worker(void *argument) {
    int me = (int)(long)argument, other = 1 - me;
    for (;;) {
        while (latch[me] != 1) continue;
        if (latch[me]) assert(flag[me] == 1);
        latch[me] = 0;
        if (flag[me]) {
            flag[me] = 0;
            flag[other] = 1;
            latch[other] = 1;
        }
    }
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, worker, (void *)0);
    pthread_create(&b, 0, worker, (void *)1);
}
