#include <assert.h>
#include <stdio.h>
int main(void) { int n = 3; assert(n == 3); assert(n > 0 && "positive"); puts("held"); return n; }
