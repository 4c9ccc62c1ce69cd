// CONCUR 2015, table 2, PETERSON: mutual exclusion, each goes in once.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag[2], turn;
static int x;

static void *process(void *argument) {
    int me = (int)(long)argument, other = 1 - me;
    flag[me] = 1;
    turn = other;
    while (flag[other] == 1 && turn == other) continue;
    x = me;
    assert(x == me);
    flag[me] = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, process, (void *)0);
    pthread_create(&b, 0, process, (void *)1);
    pthread_join(a, 0), pthread_join(b, 0);
}
