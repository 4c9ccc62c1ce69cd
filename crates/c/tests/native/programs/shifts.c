#include <stdio.h>
int main(void) {
    for (int by = 0; by < 32; by += 5) printf("%u %d %u %d\n", 0x80000001u << by, -1000000 >> by, 0x80000001u >> by, 1 << (by % 31));
    for (int by = 0; by < 64; by += 9) printf("%lu %ld %lu\n", 0x8000000000000001ul << by, -1000000000000l >> by, 0x8000000000000001ul >> by);
    unsigned char b = 0x81;
    printf("%d %d %d\n", b << 4, b >> 4, (signed char)b >> 4);
    return 0;
}
