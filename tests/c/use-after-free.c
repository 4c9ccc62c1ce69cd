// A thread frees what another one still reads.
//? verdict: violated
//? violation: memory is used after it was freed
#include <pthread.h>
#include <stdlib.h>
struct node { int value; };
struct node *shared;
void *reader(void *unused) {
    struct node *n = shared;
    return (void *)(long)n->value;
}
int main(void) {
    pthread_t thread;
    shared = malloc(sizeof *shared);
    shared->value = 7;
    pthread_create(&thread, 0, reader, 0);
    free(shared);
    pthread_join(thread, 0);
    return 0;
}
