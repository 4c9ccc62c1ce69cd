// A loop that uses in one round what it read in the one before. It waits as long as that is the same.
//? verdict: verified
//? races: none
//? executions of optimal: 4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;
static int data;

static void *waits(void *unused) {
    int seen = x;
    while (seen != 2) seen = x;
    assert(data == 5);
    return unused;
}

static void *sets(void *unused) {
    x = 1;
    data = 5;
    x = 2;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, waits, 0);
    pthread_create(&two, 0, sets, 0);
}
