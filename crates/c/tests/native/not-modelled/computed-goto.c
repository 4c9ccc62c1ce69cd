#include <stdio.h>
static int run(const char *code) {
    static void *labels[] = { &&add, &&doubled, &&stop };
    int value = 1;
    goto *labels[*code++ - '0'];
add: value += 3; goto *labels[*code++ - '0'];
doubled: value *= 2; goto *labels[*code++ - '0'];
stop: return value;
}
int main(void) { printf("%d %d\n", run("00112"), run("2")); return run("1112"); }
