// Numbered messages go to `pong` in any order; each that is greater than all before it is answered to `ping`. After
// `ping-pong` of Event-DPOR (NETYS 2023, table 3).
//? verdict: verified
//? executions of event, N=3: 13
//? executions of event, N=6: 3276
#include <mazurka.h>
#ifndef N
#define N 3
#endif
long last_ping = -1, last_pong = -1;
mazurka_handler ping, pong;
void answer(void *argument) { last_pong = last_pong < (long)argument ? (long)argument : N + 1; }
void serve(void *argument) {
    if (last_ping < (long)argument) {
        last_ping = (long)argument;
        mazurka_post(ping, answer, argument);
    } else {
        last_ping = N + 1;
    }
}
int main(void) {
    ping = mazurka_any("ping");
    pong = mazurka_any("pong");
    for (long k = 0; k < N; k++) mazurka_post(pong, serve, (void *)k);
    return 0;
}
