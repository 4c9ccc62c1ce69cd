// The producer of lost-wakeup.c changes what the consumer looks at under the same lock.
//? verdict: verified
//? races: none
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t something = PTHREAD_COND_INITIALIZER;
static int items;

static void *producer(void *unused) {
    pthread_mutex_lock(&lock);
    items++;
    pthread_cond_signal(&something);
    pthread_mutex_unlock(&lock);
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
    assert(items == 0);
}
