// A flag says that a value is ready. Nothing orders the accesses: in C that is a data race, whatever the values are.
//? verdict: violated
//? violation: race
#include <pthread.h>

static int value;
static int ready;

static void *writer(void *unused) {
    (void)unused;
    value = 42;
    ready = 1;
    return 0;
}

static void *reader(void *unused) {
    return ready ? &value : unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, writer, 0);
    pthread_create(&two, 0, reader, 0);
    pthread_join(one, 0), pthread_join(two, 0);
}
