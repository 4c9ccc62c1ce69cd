// One thread writes a variable, N threads read it: 2^N orders.
//? verdict: verified
//? executions of optimal, N=4: 16
//? executions of optimal, N=8: 256
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif
atomic_int x;
void *writer(void *unused) { x = 1; return 0; }
void *reader(void *unused) { int seen = x; return (void *)(long)seen; }
int main(void) {
    pthread_t threads[N + 1];
    pthread_create(&threads[0], 0, writer, 0);
    for (int k = 1; k <= N; k++) pthread_create(&threads[k], 0, reader, 0);
    return 0;
}
