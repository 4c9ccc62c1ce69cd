// The transfers of lock-order.c take the locks in the order of their addresses.
//? verdict: verified
//? traces: 2
//? races: none
#include <assert.h>
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account savings = { PTHREAD_MUTEX_INITIALIZER, 100 }, current = { PTHREAD_MUTEX_INITIALIZER, 0 };

static void transfer(struct account *from, struct account *to, int amount) {
    struct account *first = from < to ? from : to, *second = from < to ? to : from;
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static void *there(void *unused) { transfer(&savings, &current, 30); return unused; }
static void *back(void *unused) { transfer(&current, &savings, 10); return unused; }

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, there, 0);
    pthread_create(&two, 0, back, 0);
    pthread_join(one, 0), pthread_join(two, 0);
    assert(savings.balance == 80 && current.balance == 20);
}
