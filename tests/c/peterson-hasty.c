// Peterson's lock, taken in the wrong order: both get in.
//? verdict: violated
//? violation: assertion failed: inside == 1
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int wants[2], turn, inside;
static void visit(int self) {
    turn = 1 - self;
    wants[self] = 1;
    while (wants[1 - self] && turn == 1 - self) { }
    inside++;
    assert(inside == 1);
    inside--;
    wants[self] = 0;
}
void *first(void *unused) { visit(0); return 0; }
void *second(void *unused) { visit(1); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    return 0;
}
