// Workers fill in their numbers, meet at a barrier, and then each adds up all of them.
//? verdict: verified
//? races: none
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 2
#endif

static int numbers[N];
static pthread_barrier_t all_there;

static void *worker(void *argument) {
    int me = (int)(long)argument, sum = 0;
    numbers[me] = me + 1;
    pthread_barrier_wait(&all_there);
    for (int i = 0; i < N; i++) sum += numbers[i];
    assert(sum == N * (N + 1) / 2);
    return 0;
}

int main(void) {
    pthread_t threads[N];
    pthread_barrier_init(&all_there, 0, N);
    for (long i = 0; i < N; i++) pthread_create(&threads[i], 0, worker, (void *)i);
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);
}
