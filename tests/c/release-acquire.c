// A flag that is released and acquired orders the data behind it.
//? verdict: verified
//? races: none
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
int data;
atomic_int ready;
void *writer(void *unused) {
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return 0;
}
void *reader(void *unused) {
    if (atomic_load_explicit(&ready, memory_order_acquire)) assert(data == 42);
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, writer, 0);
    pthread_create(&b, 0, reader, 0);
    return 0;
}
