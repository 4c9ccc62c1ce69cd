// Szymanski's lock for two threads.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int flag[2], inside;
static void visit(int self) {
    int other = 1 - self;
    flag[self] = 1;
    while (flag[other] >= 3) { }
    flag[self] = 3;
    if (flag[other] == 1) {
        flag[self] = 2;
        while (flag[other] != 4) { }
    }
    flag[self] = 4;
    if (self == 1) while (flag[other] >= 2) { }
    inside++;
    assert(inside == 1);
    inside--;
    if (self == 0) while (2 <= flag[other] && flag[other] <= 3) { }
    flag[self] = 0;
}
void *first(void *unused) { visit(0); return 0; }
void *second(void *unused) { visit(1); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    return 0;
}
