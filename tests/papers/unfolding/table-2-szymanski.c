// CONCUR 2015, table 2, SZYMANSKI: mutual exclusion with a waiting room.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2];
static int x;

static void *process(void *argument) {
    int me = (int)(long)argument, other = 1 - me;
    flag[me] = 1;
    while (flag[other] >= 3) continue;
    flag[me] = 3;
    if (flag[other] == 1) {
        flag[me] = 2;
        while (flag[other] != 4) continue;
    }
    flag[me] = 4;
    while (flag[other] >= 2) continue;
    x = me;
    assert(x == me);
    while (2 <= flag[other] && flag[other] <= 3) continue;
    flag[me] = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, process, (void *)0);
    pthread_create(&b, 0, process, (void *)1);
    pthread_join(a, 0), pthread_join(b, 0);
}
