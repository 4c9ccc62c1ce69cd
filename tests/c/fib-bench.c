// Two threads add to each other's variable, N times each. After `fib_bench` of SV-COMP; the counts are those of Nidhugg.
//? verdict: verified
//? executions of optimal, N=4: 19605
#include <assert.h>
#include <pthread.h>
#ifndef N
#define N 2
#endif
volatile int i = 1, j = 1;
void *first(void *unused) { for (int k = 0; k < N; k++) i += j; return 0; }
void *second(void *unused) { for (int k = 0; k < N; k++) j += i; return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    assert(i < 377 && j < 377);
    return 0;
}
