// What the same thread makes next may be a message for one handler or for another: these are two different messages.
//? verdict: violated
//? executions of event: 5
//? executions of optimal: 5
#include <assert.h>
#include <mazurka.h>
static int a;
static mazurka_handler one, two;
static void add(void *unused) { int before = a; a = before + 1; }
static void check(void *unused) { int before = a; assert(a == before); }
int main(void) {
    one = mazurka_any("one");
    two = mazurka_any("two");
    mazurka_post(mazurka_choose(0, 2) ? one : two, add, 0);
    mazurka_post(two, check, 0);
    mazurka_wait();
    return 0;
}
