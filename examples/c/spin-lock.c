// A lock that is a loop around an exchange. The loop may go on for ever in one execution, but the states are few.
//? verdict: verified
//? races: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int held;
static int count;

static void *worker(void *unused) {
    while (atomic_exchange(&held, 1)) continue;
    count++;
    atomic_store(&held, 0);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, worker, 0);
    pthread_create(&two, 0, worker, 0);
    pthread_join(one, 0), pthread_join(two, 0);
    assert(count == 2);
}
