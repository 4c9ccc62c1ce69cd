// A thread that does not hold a lock for reading unlocks it while another one reads: that is wrong there, and not where the
// reader unlocks.
//? verdict: violated
//? violation: a read-write lock is unlocked that is not held
//? executions of optimal: 1
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static void *stranger(void *unused) {
    pthread_rwlock_unlock(&lock);
    return unused;
}
int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, stranger, 0);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_unlock(&lock);
    return 0;
}
