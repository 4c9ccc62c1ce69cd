// double-checked.c with a pointer that is read and written atomically: who sees it sees what was written before it.
//? verdict: verified
//? races: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct settings { int size; };

static struct settings *_Atomic instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct settings *settings(void) {
    struct settings *seen = atomic_load(&instance);
    if (seen == NULL) {
        pthread_mutex_lock(&lock);
        seen = atomic_load(&instance);
        if (seen == NULL) {
            seen = malloc(sizeof *seen);
            seen->size = 7;
            atomic_store(&instance, seen);
        }
        pthread_mutex_unlock(&lock);
    }
    return seen;
}

static void *user(void *unused) {
    assert(settings()->size == 7);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, user, 0);
    pthread_create(&two, 0, user, 0);
    pthread_join(one, 0), pthread_join(two, 0);
}
