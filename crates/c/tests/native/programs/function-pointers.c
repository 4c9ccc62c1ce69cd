#include <stdio.h>
typedef int (*operation)(int, int);
static int add(int a, int b) { return a + b; }
static int subtract(int a, int b) { return a - b; }
static int apply(operation f, int a, int b) { return f(a, b); }
static operation choose(int which) { return which ? add : subtract; }
struct command { const char *name; operation run; } commands[] = { { "add", add }, { "subtract", subtract } };
static void each(int n, void (*visit)(int, void *), void *data) { for (int i = 0; i < n; i++) visit(i, data); }
static void collect(int i, void *data) { *(long *)data = *(long *)data * 10 + i; }
int main(void) {
    printf("%d %d %d\n", apply(add, 3, 4), choose(0)(3, 4), (*choose(1))(3, 4));
    for (int i = 0; i < 2; i++) printf("%s %d\n", commands[i].name, commands[i].run(10, 3));
    long data = 0;
    each(5, collect, &data);
    printf("%ld %d %d\n", data, choose(1) == add, choose(0) == add);
    operation table[2][2] = { { add, subtract }, { subtract, add } };
    printf("%d\n", table[1][0](1, 2));
    return data % 100;
}
