#include <stdio.h>
static int classify(int n) {
    switch (n) {
    case -1: return 100;
    case 0:
    case 1: n += 5; /* falls through */
    case 2: n *= 2; break;
    case 10 ... 12: return 7;
    case 2147483647: return 8;
    default: return -1;
    }
    return n;
}
static int wide(unsigned long n) { switch (n) { case 0x100000000ul: return 1; case 5: return 2; } return 3; }
int main(void) {
    for (int i = -2; i < 14; i++) printf("%d ", classify(i));
    printf("%d %d %d\n", classify(2147483647), wide(0x100000000ul), wide(5));
    int i = 0, sum = 0;
again:
    sum += i;
    if (++i < 5) goto again;
    do { if (i == 7) continue; sum += 100; } while (++i < 9);
    for (;;) { if (sum > 400) break; sum += 50; for (int j = 0; j < 3; j++) { if (j == 1) continue; if (j == 2) break; sum++; } }
    printf("%d %d\n", sum, i);
    int a = (i++, i + 1), b = i > 3 ? i < 20 ? 1 : 2 : 3;
    printf("%d %d\n", a, b);
    return sum % 256;
}
