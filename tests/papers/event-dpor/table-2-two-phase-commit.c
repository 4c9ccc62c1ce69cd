// NETYS 2023, table 2, `2PC`: a manager asks N nodes, and every vote comes back as a message: N! orders. As many runs again
// look for the last vote too early; `mazurka_assume` ends these.
//? verdict: verified
#include <assert.h>
#include <mazurka.h>
#include <pthread.h>
#include <stdatomic.h>
#ifndef N
#define N 3
#endif

static mazurka_handler manager, node[N];
static int arrived, against;
static atomic_int votes[N];
static atomic_int done[N];

static void voted(void *argument) {
    long i = (long)argument;
    against += votes[i];
    done[arrived] = 1;
    arrived++;
}

static void ask(void *argument) {
    long i = (long)argument;
    votes[i] = i * 17 / 7 % 2;
    mazurka_post(manager, voted, argument);
}

static void update(void *unused) {
    (void)unused;
    for (long i = 0; i < N; i++) mazurka_post(node[i], ask, (void *)i);
}

int main(void) {
    manager = mazurka_any("manager");
    for (int i = 0; i < N; i++) node[i] = mazurka_any("node");
    mazurka_post(manager, update, 0);
    mazurka_assume(done[N - 1] == 1);
    int committed = against == 0;
    assert(!committed || votes[N - 1] == 0);
}
