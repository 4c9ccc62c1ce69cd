// Peterson's lock, with a loop that waits for its turn: executions come back to states.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int wants[2], turn;
int inside;
static void visit(int self) {
    wants[self] = 1;
    turn = 1 - self;
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
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
