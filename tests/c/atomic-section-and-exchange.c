// An exchange and a section that nothing interrupts write one variable: both are atomic, so that is no data race, though the
// section itself uses a plain store.
//? verdict: verified
//? races: none
#include <pthread.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static long x, y = -1;
static void *exchanger(void *unused) {
    __atomic_exchange_n(&y, 1, __ATOMIC_SEQ_CST);
    __VERIFIER_atomic_begin();
    y = x;
    __VERIFIER_atomic_end();
    return unused;
}
int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, exchanger, 0);
    pthread_create(&two, 0, exchanger, 0);
    return 0;
}
