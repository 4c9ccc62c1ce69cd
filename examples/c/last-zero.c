// N threads write one element of an array each, one more than the element before it; one thread looks for the last zero
// from the end: (N + 3) * 2^(N - 2) traces. From Abdulla, Aronis, Jonsson and Sagonas (POPL 2014).
//? verdict: verified
//? traces: 28
//? executions of optimal, N=10: 3328
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 4
#endif

static atomic_int array[N + 1];

static void *finder(void *unused) {
    int i = N;
    while (array[i] != 0) i--;
    assert(i >= 0);
    return unused;
}

static void *writer(void *argument) {
    long j = (long)argument;
    array[j] = array[j - 1] + 1;
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, finder, 0);
    for (long j = 1; j <= N; j++) pthread_create(&thread, 0, writer, (void *)j);
}
