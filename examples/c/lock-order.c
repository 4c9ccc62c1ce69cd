// Two transfers between the same two accounts, in opposite directions: each holds the lock that the other one needs.
//? verdict: violated
//? violation: deadlock
#include <pthread.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account savings = { PTHREAD_MUTEX_INITIALIZER, 100 }, current = { PTHREAD_MUTEX_INITIALIZER, 0 };

static void transfer(struct account *from, struct account *to, int amount) {
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= amount;
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *there(void *unused) { transfer(&savings, &current, 30); return unused; }
static void *back(void *unused) { transfer(&current, &savings, 10); return unused; }

int main(void) {
    pthread_t one, two;
    pthread_create(&one, 0, there, 0);
    pthread_create(&two, 0, back, 0);
    pthread_join(one, 0), pthread_join(two, 0);
}
