// A stack without locks. `pop` reads the next node of the top before it takes the top off; meanwhile another thread may have
// taken it and freed it.
//? verdict: violated
//? violation: crash line 26
//? violation: race
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *_Atomic top;

static void push(int value) {
    struct node *made = malloc(sizeof *made);
    made->value = value;
    made->next = atomic_load(&top);
    while (!atomic_compare_exchange_strong(&top, &made->next, made)) continue;
}

static void pop(void) {
    struct node *seen = atomic_load(&top);
    while (seen != NULL && !atomic_compare_exchange_strong(&top, &seen, seen->next)) continue;
    free(seen);
}

static void *taker(void *unused) {
    pop();
    return unused;
}

int main(void) {
    pthread_t one, two;
    push(1);
    push(2);
    pthread_create(&one, 0, taker, 0);
    pthread_create(&two, 0, taker, 0);
    pthread_join(one, 0), pthread_join(two, 0);
}
