// CONCUR 2015, table 2, LAMPORT: the fast mutual exclusion algorithm for two.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y, b[2];
static int inside;

static void *process(void *argument) {
    int me = (int)(long)argument, name = me + 1;
    for (;;) {
        b[me] = 1;
        x = name;
        if (y != 0) {
            b[me] = 0;
            while (y != 0) continue;
            continue;
        }
        y = name;
        if (x != name) {
            b[me] = 0;
            while (b[1 - me] >= 1) continue;
            if (y != name) {
                while (y != 0) continue;
                continue;
            }
        }
        break;
    }
    inside = me;
    assert(inside == me);
    y = 0;
    b[me] = 0;
    return 0;
}

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, process, (void *)0);
    pthread_create(&b, 0, process, (void *)1);
    pthread_join(a, 0), pthread_join(b, 0);
}
