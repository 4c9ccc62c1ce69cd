// CONCUR 2015, table 2, PRODCONS: two producers, one makes one item and one makes two, and a consumer, all for ever.
//? verdict: verified
#include <pthread.h>
#define MAX 6

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int buffer;

static void *producer(void *items) {
    for (;;) {
        pthread_mutex_lock(&m);
        if (buffer < MAX) buffer = buffer + (int)(long)items;
        pthread_mutex_unlock(&m);
    }
}

static void *consumer(void *unused) {
    for (;;) {
        pthread_mutex_lock(&m);
        if (buffer > 0) buffer = buffer - 1;
        pthread_mutex_unlock(&m);
    }
    return unused;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, producer, (void *)1);
    pthread_create(&b, 0, producer, (void *)2);
    pthread_create(&c, 0, consumer, 0);
}
