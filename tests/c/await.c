// `mazurka_await` waits until its condition holds. The two ends of a rendezvous, one execution.
//? verdict: verified
//? races: none
//? executions of optimal: 1
#include <assert.h>
#include <mazurka.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int here, there;
static int data;

static void *other(void *unused) {
    data = 1;
    there = 1;
    mazurka_await(here == 1);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, other, 0);
    here = 1;
    mazurka_await(there == 1);
    assert(data == 1);
    pthread_join(thread, 0);
}
