// CONCUR 2015, table 2, RWLOCK(2)*: the same without the lock, and wrong: a thread that has seen no other inside is
// overtaken.
//? verdict: violated
//? violation: assertion line 24
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int w, r, x, y;

static void *writer(void *unused) {
    while (w != 0 || r != 0) continue;
    w = 1;
    x = 3;
    w = 0;
    return unused;
}

static void *reader(void *unused) {
    while (w != 0) continue;
    r = r + 1;
    y = x;
    int copy = y;
    assert(copy == x);
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
