// A loop that looks at two variables goes on although it would not if both were looked at in one moment: first x is 0 still,
// then y is 1 already. A round that fails may be left out of an execution; the last one may not.
//? verdict: violated
//? violation: assertion failed: 0
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;

static void *waits(void *unused) {
    while (!(x == 0 && y == 1)) continue;
    assert(0);
    return unused;
}

static void *writes(void *unused) {
    x = 1;
    y = 1;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, waits, 0);
    pthread_create(&two, 0, writes, 0);
}
