// A node is published by a release, and found by a relaxed load. That the value is read through the pointer is no order of
// C11: the reader's access of the value races. With an acquire it does not.
//? verdict: verified
//? race: data race on node.value
//? executions of optimal: 2
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define ORDER memory_order_relaxed
#else
#define ORDER memory_order_acquire
#endif

struct node { int value; };
static struct node node;
static _Atomic(struct node *) published;

static void *writer(void *unused) {
    node.value = 3;
    atomic_store_explicit(&published, &node, memory_order_release);
    return unused;
}

static void *reader(void *unused) {
    struct node *found = atomic_load_explicit(&published, ORDER);
    return found ? (void *)(long)found->value : unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, writer, 0);
    pthread_create(&two, 0, reader, 0);
}
