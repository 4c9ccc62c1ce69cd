// CONCUR 2015, table 2, RWLOCK: two writers and two readers; the waiting for the others is busy and within the lock.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static atomic_int w, r, x, y;

static void *writer(void *unused) {
    pthread_mutex_lock(&m);
    for (;;) {
        if (w == 0 && r == 0) {
            w = 1;
            break;
        }
    }
    pthread_mutex_unlock(&m);
    x = 3;
    w = 0;
    return unused;
}

static void *reader(void *unused) {
    pthread_mutex_lock(&m);
    for (;;) {
        if (w == 0) {
            r = r + 1;
            break;
        }
    }
    pthread_mutex_unlock(&m);
    int t = x;
    y = t;
    assert(y == t);
    r = r - 1;
    return unused;
}

int main(void) {
    for (int i = 0; i < 2; i++) {
        pthread_t a, b;
        pthread_create(&a, 0, writer, 0);
        pthread_create(&b, 0, reader, 0);
    }
}
