#include <stdbool.h>
#include <stdio.h>
static int calls;
static bool say(bool value) { calls++; return value; }
struct flags { bool a, b; _Bool c : 1; };
int main(void) {
    printf("%d\n", say(false) && say(true));
    printf("%d\n", say(true) || say(false));
    printf("%d %d\n", say(true) && say(true), calls);
    struct flags f = { 5 > 3, 0, 2 };
    f.b = 0.25;
    f.a ^= 1;
    printf("%d %d %d %zu\n", f.a, f.b, f.c, sizeof f);
    int *null = 0;
    printf("%d %d %d\n", !null, !&calls, !!17);
    return calls;
}
