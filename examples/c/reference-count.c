// Two users share a block, and the last one frees it. Each takes its share off and then looks whether it was the last: two
// steps, so both may see 0.
//? verdict: violated
//? violation: crash line 20
//? violation: crash line 21
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct block {
    atomic_int users;
    int data[4];
};

static struct block *block;

static void release(struct block *shared) {
    atomic_fetch_sub(&shared->users, 1);
    // atomic_fetch_sub(&shared->users, 1) == 1 would be one step.
    if (atomic_load(&shared->users) == 0) {
        free(shared);
    }
}

static void *user(void *index) {
    block->data[(long)index] = 1;
    release(block);
    return 0;
}

int main(void) {
    pthread_t one, two;
    block = calloc(1, sizeof *block);
    block->users = 2;
    pthread_create(&one, 0, user, (void *)0);
    pthread_create(&two, 0, user, (void *)1);
    pthread_join(one, 0), pthread_join(two, 0);
}
//? violation: race line 20
