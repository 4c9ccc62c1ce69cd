// CONCUR 2015, table 2, PRODCONS(2): two producers with a buffer each, and a consumer of both in turn, all for ever.
//? verdict: verified
#include <pthread.h>
#define MAX 6

static pthread_mutex_t m[2];
static int buffer[2];

static void *producer(void *argument) {
    long i = (long)argument;
    for (;;) {
        pthread_mutex_lock(&m[i]);
        if (buffer[i] < MAX) buffer[i] = buffer[i] + 1;
        pthread_mutex_unlock(&m[i]);
    }
}

static void *consumer(void *unused) {
    for (;;) {
        for (int i = 0; i < 2; i++) {
            pthread_mutex_lock(&m[i]);
            if (buffer[i] > 0) buffer[i] = buffer[i] - 1;
            pthread_mutex_unlock(&m[i]);
        }
    }
    return unused;
}

int main(void) {
    pthread_t a, b, c;
    pthread_create(&a, 0, producer, (void *)0);
    pthread_create(&b, 0, producer, (void *)1);
    pthread_create(&c, 0, consumer, 0);
}
