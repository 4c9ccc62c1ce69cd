// SPIN 2008, figure 1, `example1` in table 1: two threads add to one variable and take away from it. The assertions fail:
// with 0, 5, 10 added and 0, 2, 4 taken away, d is 9.
//? verdict: violated
//? violation: assertion line 17
//? violation: assertion line 27
#include <assert.h>
#include <mazurka.h>
#include <pthread.h>
#define N 64

static int d;

static void *adds(void *unused) {
    for (int i = 0; i < N; i += 5) {
        mazurka_atomic_begin();
        d = d + i;
        assert(d % 5 != 4);
        mazurka_atomic_end();
    }
    return unused;
}

static void *takes_away(void *unused) {
    for (int j = 0; j < N; j += 2) {
        mazurka_atomic_begin();
        d = d - j;
        assert(d % 5 != 4);
        mazurka_atomic_end();
    }
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, adds, 0);
    pthread_create(&two, 0, takes_away, 0);
}
