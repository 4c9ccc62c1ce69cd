// Two threads need both locks. Each gives its first lock back where it does not get the second one, so there is no
// deadlock. But they may step aside for each other for ever.
//? verdict: verified
//? livelock: violated, loop of 6
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;

static void *ann(void *unused) {
    for (;;) {
        pthread_mutex_lock(&left);
        if (!pthread_mutex_trylock(&right)) break;
        pthread_mutex_unlock(&left);
    }
    pthread_mutex_unlock(&right);
    pthread_mutex_unlock(&left);
    return unused;
}

static void *bob(void *unused) {
    for (;;) {
        pthread_mutex_lock(&right);
        if (!pthread_mutex_trylock(&left)) break;
        pthread_mutex_unlock(&right);
    }
    pthread_mutex_unlock(&left);
    pthread_mutex_unlock(&right);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, ann, 0);
    pthread_create(&two, 0, bob, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
}
