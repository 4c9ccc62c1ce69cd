// The tellers of lost-update.c hold a lock while they read and write.
//? verdict: verified
//? traces: 2
//? races: none
#include <assert.h>
#include <pthread.h>

static int balance = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *teller(void *amount) {
    pthread_mutex_lock(&lock);
    balance += *(int *)amount;
    pthread_mutex_unlock(&lock);
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
