// Two threads write a variable without a lock.
//? race: data race on total
#include <pthread.h>
int total;
void *add(void *unused) { total++; return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, add, 0);
    pthread_create(&b, 0, add, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return total;
}
