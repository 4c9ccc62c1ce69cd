// Two tellers pay into one account. Each reads the balance, adds, and writes it back; if both read before either writes, one
// payment is lost. The accesses are atomic, so there is no data race: only the update as a whole is not one step.
//? verdict: violated
//? violation: assertion line 24
//? traces: 4
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int balance = 100;

static void *teller(void *amount) {
    int seen = atomic_load(&balance);
    atomic_store(&balance, seen + *(int *)amount);
    return 0;
}

int main(void) {
    int first = 10, second = 20;
    pthread_t one, two;
    pthread_create(&one, 0, teller, &first);
    pthread_create(&two, 0, teller, &second);
    pthread_join(one, 0), pthread_join(two, 0);
    assert(balance == 130);
}
