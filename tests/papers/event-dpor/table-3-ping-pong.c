// NETYS 2023, table 3, `ping-pong`: messages in any order; each that is greater than all before it is answered.
//? verdict: verified
//? executions of optimal: 13
//? executions of event: 13
//? executions of event, N=6: 3276
#include <mazurka.h>
#ifndef N
#define N 3
#endif

static mazurka_handler ping, pong;
static int last_ping = -1, last_pong = -1;

static void answer(void *argument) {
    int i = (int)(long)argument;
    if (last_pong < i) last_pong = i;
    else last_pong = N + 1;
}

static void serve(void *argument) {
    int i = (int)(long)argument;
    if (last_ping < i) {
        last_ping = i;
        mazurka_post(ping, answer, argument);
    } else {
        last_ping = N + 1;
    }
}

int main(void) {
    ping = mazurka_any("ping");
    pong = mazurka_any("pong");
    for (long i = 0; i < N; i++) mazurka_post(pong, serve, (void *)i);
}
