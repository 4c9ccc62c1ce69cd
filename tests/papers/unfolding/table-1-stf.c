// CONCUR 2015, table 1, STF: two threads add to two variables under one lock, one after the other.
//? verdict: verified
//? traces: 6
//? races: none
// Published: 6 configurations.
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int data1 = 10, data2 = 10;

static void add(int *variable, int n) {
    pthread_mutex_lock(&m);
    *variable += n;
    pthread_mutex_unlock(&m);
}

static void *first(void *unused) { add(&data1, 1), add(&data2, 1); return unused; }
static void *second(void *unused) { add(&data1, 5), add(&data2, -6); return unused; }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0), pthread_join(b, 0);
#ifdef WRONG
    assert(data1 != 16 || data2 != 5);
#else
    assert(data1 == 16 || data2 == 5);
#endif
}
