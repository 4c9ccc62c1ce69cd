// Values by key are given to the destructor of their key at the end of a thread, as long as there are any.
#include <pthread.h>
#include <stdio.h>

static pthread_key_t first, second, plain;

static void forget(void *value) {
    printf("forget %d\n", *(int *)value);
}

static void again(void *value) {
    int *count = value;
    printf("again %d\n", *count);
    if (--*count > 0) pthread_setspecific(second, count);
}

static void *work(void *argument) {
    static int numbers[3] = { 7, 2, 9 };
    pthread_setspecific(first, &numbers[0]);
    pthread_setspecific(second, &numbers[1]);
    pthread_setspecific(plain, &numbers[2]);
    if (argument) pthread_exit((void *)5L);
    return (void *)6L;
}

static void *quiet(void *unused) {
    return unused;
}

int main(void) {
    pthread_t thread;
    void *result;
    pthread_key_create(&first, forget);
    pthread_key_create(&second, again);
    pthread_key_create(&plain, 0);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &result);
    printf("%ld\n", (long)result);
    pthread_create(&thread, 0, work, &result);
    pthread_join(thread, &result);
    printf("%ld\n", (long)result);
    pthread_create(&thread, 0, quiet, 0);
    pthread_join(thread, &result);
    pthread_key_delete(first);
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, &result);
    printf("%ld\n", (long)result);
    return 3;
}
