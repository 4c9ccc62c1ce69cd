#include <stdarg.h>
#include <stdio.h>
static long sum(int count, ...) {
    va_list arguments;
    long total = 0;
    va_start(arguments, count);
    for (int i = 0; i < count; i++) total += va_arg(arguments, int);
    va_end(arguments);
    return total;
}
int main(void) {
    printf("%ld %ld\n", sum(3, 1, 2, 3), sum(8, 1, 2, 3, 4, 5, 6, 7, 8));
    return 0;
}
