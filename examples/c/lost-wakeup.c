// The consumer looks whether there is something to take, and then waits; it does both under the lock. The producer signals
// without it: if that happens between the look and the wait, no thread hears it, and the consumer waits for ever.
//? verdict: violated
//? violation: deadlock
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t something = PTHREAD_COND_INITIALIZER;
static atomic_int items;

static void *producer(void *unused) {
    items++;
    pthread_cond_signal(&something);
    return unused;
}

static void *consumer(void *unused) {
    pthread_mutex_lock(&lock);
    while (items == 0) pthread_cond_wait(&something, &lock);
    items--;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, producer, 0);
    pthread_create(&two, 0, consumer, 0);
    pthread_join(one, 0), pthread_join(two, 0);
}
