#include <stdio.h>
unsigned values[] = { 0, 1, 2, 7, 255, 256, 65535, 65536, 2147483647u, 2147483648u, 4294967295u };
int main(void) {
    int n = sizeof values / sizeof *values;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            unsigned a = values[i], b = values[j];
            printf("%u %u: %u %u %u", a, b, a + b, a - b, a * b);
            if (b != 0) printf(" %u %u", a / b, a % b);
            unsigned long wide = (unsigned long)a * b + a;
            printf(" %lu\n", wide);
        }
    return 1;
}
