// NETYS 2023, table 1, `consensus`: N nodes tell their values to N collectors, each of which keeps the greatest.
//? verdict: verified
//? executions of optimal: 4
//? executions of optimal, N=3: 216
//? executions of event: 4
//? executions of event, N=3: 125
#include <mazurka.h>
#include <pthread.h>
#ifndef N
#define N 2
#endif

static mazurka_handler collector[N];
static int decision[N], value[N];

static void collect(void *argument) {
    long i = (long)argument / N, j = (long)argument % N;
    int offered = value[j];
    if (offered > decision[i]) decision[i] = offered;
}

static void *announce(void *argument) {
    long j = (long)argument;
    value[j] = j + 1;
    for (long i = 0; i < N; i++) mazurka_post(collector[i], collect, (void *)(i * N + j));
    return 0;
}

int main(void) {
    for (int i = 0; i < N; i++) collector[i] = mazurka_any("collector");
    for (long j = 0; j < N; j++) {
        pthread_t thread;
        pthread_create(&thread, 0, announce, (void *)j);
    }
}
