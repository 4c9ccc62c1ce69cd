#include <stdio.h>
static _Thread_local int n = 7;
_Thread_local char text[8] = "local";
int main(void) { n++, text[0] = 'L'; int *p = &n; *p *= 2; printf("%d %s\n", n, text); return n; }
