#include <stdio.h>
int main(void) {
    int a[] = { -2, -1, 0, 1, 2 };
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++) {
            int x = a[i], y = a[j];
            unsigned ux = x, uy = y;
            long lx = x;
            printf("%d%d%d%d%d%d %d%d%d%d %d%d\n", x < y, x <= y, x > y, x >= y, x == y, x != y, ux < uy, ux <= uy, ux > uy, ux >= uy, lx < uy, lx == y);
        }
    int *p = &a[1], *q = &a[3];
    printf("%d %d %d %ld\n", p < q, p == q, p + 2 == q, (long)(q - p));
    return 0;
}
