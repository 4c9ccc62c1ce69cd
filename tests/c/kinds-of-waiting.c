// Barriers, semaphores, read-write locks, once, keys, thread-local variables, C11 threads, waits that time out.
//? verdict: verified
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <threads.h>
sem_t done;
pthread_barrier_t both;
pthread_rwlock_t guard;
pthread_once_t once = PTHREAD_ONCE_INIT;
pthread_key_t key;
pthread_mutex_t lock, recursive;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;
thread_local long own = 7;
atomic_int made, passed;
mtx_t plain;
static void make(void) { made++; }
static void *work(void *argument) {
    pthread_once(&once, make);
    assert(made == 1);
    own += (long)argument;
    pthread_setspecific(key, argument);
    pthread_rwlock_rdlock(&guard);
    pthread_rwlock_unlock(&guard);
    passed++;
    pthread_barrier_wait(&both);
    assert(passed == 2);
    assert(own == 7 + (long)argument && pthread_getspecific(key) == argument);
    sem_post(&done);
    return argument;
}
static int add(void *argument) {
    mtx_lock(&plain);
    ++*(int *)argument;
    mtx_unlock(&plain);
    return 5;
}
int main(void) {
    pthread_t first, second;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &attributes);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    sem_init(&done, 0, 0);
    pthread_barrier_init(&both, 0, 2);
    pthread_rwlock_init(&guard, 0);
    pthread_key_create(&key, 0);
    pthread_create(&first, 0, work, (void *)1);
    pthread_create(&second, 0, work, (void *)2);
    sem_wait(&done);
    sem_wait(&done);
    void *result;
    pthread_join(first, &result);
    assert(result == (void *)1);
    pthread_join(second, 0);
    struct timespec soon = { 0, 0 };
    pthread_mutex_lock(&lock);
    assert(pthread_cond_timedwait(&never, &lock, &soon) == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    int value = 1, code;
    thrd_t third;
    mtx_init(&plain, mtx_plain);
    thrd_create(&third, add, &value);
    thrd_join(third, &code);
    assert(code == 5 && value == 2 && own == 7);
    return 0;
}
