// A handler that takes its messages in order.
//? verdict: verified
#include <assert.h>
#include <mazurka.h>
int seen;
void count(void *argument) { assert(seen == (int)(long)argument); seen++; }
int main(void) {
    mazurka_handler h = mazurka_fifo("h");
    for (long k = 0; k < 3; k++) mazurka_post(h, count, (void *)k);
    return 0;
}
