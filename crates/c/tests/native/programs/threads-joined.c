#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static void *add(void *n) { pthread_mutex_lock(&lock); total += (int)(long)n; pthread_mutex_unlock(&lock); return (void *)((long)n * 2); }
int main(void) {
    long sum = 0;
    for (long i = 1; i <= 4; i++) { pthread_t t; void *result; pthread_create(&t, 0, add, (void *)i); pthread_join(t, &result); sum += (long)result; }
    printf("%d %ld\n", total, sum);
    return total;
}
