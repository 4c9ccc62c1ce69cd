// NETYS 2023, table 1, `prolific`: N messages in a ring, each conflicts with its neighbours: 2^N - 2 ways to order these.
//? verdict: verified
//? executions of optimal: 24
//? executions of event: 14
//? executions of event, N=5: 30
//? executions of event, N=7: 126
#include <assert.h>
#include <mazurka.h>
#ifndef N
#define N 4
#endif

static mazurka_handler h;
static int cell[N][N], touched[N][N], finished[N];

static void work(void *argument) {
    int i = (int)(long)argument, next = (i + 1) % N;
    for (int k = 0; k < N; k++) {
        cell[i][k] = 2;
        touched[i][k]++;
    }
    for (int k = 0; k < N; k++) {
        int seen = cell[next][k];
        (void)seen;
        touched[next][k]++;
    }
    finished[i] = 1;
    for (int k = 0; k < N; k++) assert(!finished[i] || !finished[next] || touched[next][k] == 2);
}

int main(void) {
    h = mazurka_any("h");
    for (long i = 0; i < N; i++) mazurka_post(h, work, (void *)i);
}
