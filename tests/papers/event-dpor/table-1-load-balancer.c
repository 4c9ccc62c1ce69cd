// NETYS 2023, table 1, `plb`: a handler takes requests and posts to itself what serves them. Nothing conflicts: one trace.
//? verdict: verified
//? executions of optimal: 15
//? executions of optimal, N=4: 105
//? executions of event: 1
//? executions of event, N=8: 1
#include <mazurka.h>
#ifndef N
#define N 3
#endif

static mazurka_handler h;
static long client[N];
static int served[N];

static void serve(void *argument) {
    long i = (long)argument, id = client[i];
    served[id] = 1;
    client[i] = -1;
}

static void request(void *argument) {
    long i = (long)argument;
    client[i] = i;
    mazurka_post(h, serve, argument);
    if (i + 1 < N) mazurka_post(h, request, (void *)(i + 1));
}

int main(void) {
    h = mazurka_any("h");
    mazurka_post(h, request, 0);
}
