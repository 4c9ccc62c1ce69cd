// A loop that counts its rounds is no loop that only waits: what it counts is used. It looks four times before it gives
// up, so the flag is set in front of one of these or behind all.
//? verdict: violated
//? violation: assertion failed: rounds < 3
//? executions of optimal: 5
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;

static void *waits(void *unused) {
    int rounds = 0;
    while (!flag && rounds < 3) rounds++;
    assert(rounds < 3);
    return unused;
}

static void *sets(void *unused) {
    flag = 1;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, waits, 0);
    pthread_create(&two, 0, sets, 0);
}
