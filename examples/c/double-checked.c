// An object is made by the thread that needs it first. To spare the lock, the pointer is looked at without it before:
// that look and the write of the pointer are not ordered, which is a data race.
//? verdict: violated
//? violation: race
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct settings { int size; };

static struct settings *instance;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct settings *settings(void) {
    if (instance == NULL) {
        pthread_mutex_lock(&lock);
        if (instance == NULL) {
            struct settings *made = malloc(sizeof *made);
            made->size = 7;
            instance = made;
        }
        pthread_mutex_unlock(&lock);
    }
    return instance;
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
