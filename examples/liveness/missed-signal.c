// The signal may be over before anyone looks, and then main looks for ever. No assertion fails and nothing deadlocks.
// `mazurka check missed-signal.c --livelock` finds it.
//? verdict: verified
//? livelock: violated, loop of 1
#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;

static void *signal_once(void *unused) {
    atomic_store(&ready, 1);
    atomic_store(&ready, 0);
    return unused;
}

int main(void) {
    pthread_t signaller;
    pthread_create(&signaller, 0, signal_once, 0);
    while (!atomic_load(&ready)) continue;
    pthread_join(signaller, 0);
}
