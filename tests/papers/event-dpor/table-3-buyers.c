// NETYS 2023, table 3, `buyers`: every bid reads and changes what is still needed: N! orders.
//? verdict: verified
//? executions of optimal: 6
//? executions of event: 6
//? executions of event, N=6: 720
#include <assert.h>
#include <mazurka.h>
#include <pthread.h>
#ifndef N
#define N 3
#endif

static mazurka_handler coordinator;
static int needed = 50, amount[N], contributed[N];

static void bid(void *argument) {
    long i = (long)argument;
    if (needed > 0) {
        needed -= amount[i];
        contributed[i] = 1;
    }
    assert(needed > 0);
}

static void *buyer(void *argument) {
    long i = (long)argument;
    amount[i] = 123 * i % 10;
    mazurka_post(coordinator, bid, argument);
    return 0;
}

int main(void) {
    coordinator = mazurka_any("coordinator");
    for (long i = 0; i < N; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, buyer, (void *)i);
    }
}
