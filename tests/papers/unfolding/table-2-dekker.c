// CONCUR 2015, table 2, DEKKER: mutual exclusion, each goes in once, with busy waits.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], turn;
static int x;

static void *process(void *argument) {
    int me = (int)(long)argument, other = 1 - me;
    flag[me] = 1;
    while (flag[other] >= 1) {
        if (turn != me) {
            flag[me] = 0;
            while (turn != me) continue;
            flag[me] = 1;
        }
    }
    x = me;
    assert(x == me);
    turn = other;
    flag[me] = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, process, (void *)0);
    pthread_create(&b, 0, process, (void *)1);
    pthread_join(a, 0), pthread_join(b, 0);
}
