// Lamport's bakery for two threads.
//? verdict: verified
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
atomic_bool choosing[2];
atomic_int number[2], inside;
static void visit(int self) {
    int other = 1 - self;
    choosing[self] = true;
    number[self] = number[other] + 1;
    choosing[self] = false;
    while (choosing[other]) { }
    for (;;) {
        int theirs = number[other];
        if (theirs == 0 || theirs > number[self] || (theirs == number[self] && other > self)) break;
    }
    inside++;
    assert(inside == 1);
    inside--;
    number[self] = 0;
}
void *first(void *unused) { visit(0); return 0; }
void *second(void *unused) { visit(1); return 0; }
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    return 0;
}
