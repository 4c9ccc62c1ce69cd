#include <stdio.h>
int main(void) {
    signed char c = 127;
    unsigned char u = 255;
    short s = -32768;
    unsigned short w = 65535;
    c++, u++, s--, w++;
    printf("%d %u %d %u\n", c, u, s, w);
    c = (signed char)200, u = (unsigned char)-3, s = (short)70000, w = (unsigned short)-2;
    printf("%d %u %d %u\n", c, u, s, w);
    printf("%d %d\n", c < u, (char)c == (unsigned char)c);
    c *= 2, u /= 3, s %= 7, w <<= 3;
    printf("%d %u %d %u\n", c, u, s, w);
    printf("%d %d\n", -u, ~w);
    return u;
}
