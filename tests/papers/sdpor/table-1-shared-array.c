// SPIN 2008, table 1, `sharedArray`: two threads write the elements of an array, one from the front and one from the back.
//? verdict: verified
#include <pthread.h>
#include <stdatomic.h>
#define SIZE 4
#define ROUNDS 4

static atomic_int array[SIZE];

static void *from_the_front(void *unused) {
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < SIZE; k++) array[k] = 1;
    return unused;
}

static void *from_the_back(void *unused) {
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < SIZE; k++) array[SIZE - 1 - k] = 2;
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, from_the_front, 0);
    pthread_create(&two, 0, from_the_back, 0);
}
