#include <stdio.h>
int main(void) {
    long double a = 1.5L, b = 2.25L;
    printf("%Lf %.3Lg %d\n", a + b, a * b, a < b);
    return (int)(a * b);
}
