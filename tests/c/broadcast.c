// Two consumers and two producers share one condition variable: a broadcast wakes all, so it is never lost.
//? verdict: verified
#include <pthread.h>
int full;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
void *produce(void *unused) {
    pthread_mutex_lock(&m);
    while (full) pthread_cond_wait(&changed, &m);
    full = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    return 0;
}
void *consume(void *unused) {
    pthread_mutex_lock(&m);
    while (!full) pthread_cond_wait(&changed, &m);
    full = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t threads[4];
    for (int k = 0; k < 4; k++) pthread_create(&threads[k], 0, k < 2 ? consume : produce, 0);
    for (int k = 0; k < 4; k++) pthread_join(threads[k], 0);
    return 0;
}
