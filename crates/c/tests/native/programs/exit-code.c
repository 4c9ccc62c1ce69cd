#include <stdio.h>
#include <stdlib.h>
static void leave(int code) { printf("leaving\n"); exit(code); }
int main(void) { leave(42); printf("not reached\n"); return 1; }
