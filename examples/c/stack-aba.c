// A stack of three nodes in an array, by their numbers. One thread reads that 1 is on top and 2 below it. Before it takes 1
// off, the other one takes off 1 and 2 and puts 1 back: 1 is on top again, so the first thread succeeds, and puts 2 on top,
// which the other one still has. That is the ABA problem.
//? verdict: violated
//? violation: assertion line 47
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top = 1;
static atomic_int below[4] = { 0, 2, 3, 0 };
static atomic_int owners[4];

static int pop(void) {
    int seen = atomic_load(&top);
    while (seen != 0) {
        int next = atomic_load(&below[seen]);
        if (atomic_compare_exchange_strong(&top, &seen, next)) break;
    }
    return seen;
}

static void push(int node) {
    int seen = atomic_load(&top);
    do atomic_store(&below[node], seen);
    while (!atomic_compare_exchange_strong(&top, &seen, node));
}

static void *first(void *unused) {
    owners[pop()]++;
    return unused;
}

static void *second(void *unused) {
    int one = pop(), two = pop();
    owners[two]++;
    push(one);
    return unused;
}

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, first, 0);
    pthread_create(&two, 0, second, 0);
    pthread_join(one, 0), pthread_join(two, 0);
    int left = pop();
    assert(left == 0 || owners[left] == 0);
}
