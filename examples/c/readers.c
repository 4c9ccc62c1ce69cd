// One thread writes what N threads read: 2^N traces.
//? verdict: verified
//? executions of optimal: 8
//? executions of optimal, N=8: 256
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif

static atomic_int x;

static void *writer(void *unused) { x = 42; return unused; }
static void *reader(void *unused) { atomic_load(&x); return unused; }

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, writer, 0);
    for (int i = 0; i < N; i++) pthread_create(&thread, 0, reader, 0);
}
