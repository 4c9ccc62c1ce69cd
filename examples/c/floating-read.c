// N threads write a variable that one thread reads: (N + 1)! traces, since each write is a value of its own.
//? verdict: verified
//? executions of optimal: 24
//? executions of optimal, N=6: 5040
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif

static atomic_int x;

static void *writer(void *i) { x = (int)(long)i + 1; return 0; }
static void *reader(void *unused) { atomic_load(&x); return unused; }

int main(void) {
    pthread_t thread;
    for (long i = 0; i < N; i++) pthread_create(&thread, 0, writer, (void *)i);
    pthread_create(&thread, 0, reader, 0);
}
