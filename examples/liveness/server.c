// A server that runs on: each request that it serves is progress. It is meant to go round for ever, so to look for
// livelocks is to ask whether it can go round without serving anything.
//? verdict: verified
//? livelock: verified
#include <mazurka.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int waiting;

static void *client(void *unused) {
    for (;;) {
        pthread_mutex_lock(&lock);
        while (waiting) pthread_cond_wait(&changed, &lock);
        waiting = 1;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void) {
    pthread_t one;
    pthread_create(&one, 0, client, 0);
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!waiting) pthread_cond_wait(&changed, &lock);
        waiting = 0;
        mazurka_progress();
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
}
