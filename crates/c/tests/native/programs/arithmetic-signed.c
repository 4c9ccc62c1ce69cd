#include <limits.h>
#include <stdio.h>
int values[] = { 0, 1, -1, 2, -2, 7, -7, 100, -100, 32767, -32768, INT_MAX / 2, INT_MIN / 2 };
int main(void) {
    int n = sizeof values / sizeof *values;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            long a = values[i], b = values[j];
            printf("%ld %ld: %ld %ld %ld", a, b, a + b, a - b, a * b);
            if (b != 0) printf(" %ld %ld", a / b, a % b);
            printf(" %d %d %d\n", values[i] & values[j], values[i] | values[j], values[i] ^ values[j]);
        }
    return 0;
}
