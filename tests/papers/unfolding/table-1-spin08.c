// CONCUR 2015, table 1, SPIN08: one thread adds three times and one subtracts six times, under a lock: C(9, 3) orders.
//? verdict: verified
//? traces: 84
//? races: none
// Published: 84 configurations.
#include <pthread.h>
#define N 12

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int d;

static void add(int n) {
    pthread_mutex_lock(&m);
    d += n;
    pthread_mutex_unlock(&m);
}

static void *adds(void *unused) { for (int i = 0; i < N; i++) if (i % 5 == 0) add(i); return unused; }
static void *subtracts(void *unused) { for (int j = 0; j < N; j++) if (j % 2 == 0) add(-j); return unused; }

int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, adds, 0);
    pthread_create(&b, 0, subtracts, 0);
}
