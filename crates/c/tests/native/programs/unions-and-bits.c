#include <stdio.h>
#include <string.h>
union word { unsigned whole; unsigned char bytes[4]; float number; struct { unsigned short low, high; } halves; };
struct bits { unsigned a : 3; int b : 5; unsigned : 2; unsigned c : 12; unsigned : 0; signed d : 1; unsigned long e : 40; };
int main(void) {
    union word w = { 0x12345678 };
    printf("%x %x %x %x %x\n", w.bytes[0], w.bytes[3], w.halves.low, w.halves.high, w.whole);
    w.bytes[1] = 0xff;
    printf("%x\n", w.whole);
    w.number = 1.0f;
    printf("%x\n", w.whole);
    struct bits b;
    memset(&b, 0, sizeof b);
    b.a = 9, b.b = -3, b.c = 0xabc, b.d = -1, b.e = 0xffffffffffffull;
    printf("%u %d %x %d %lx %zu\n", b.a, b.b, b.c, b.d, (unsigned long)b.e, sizeof b);
    b.a++, b.b--, b.c ^= 0xfff, b.e >>= 3;
    printf("%u %d %x %d %lx\n", b.a, b.b, b.c, b.d, (unsigned long)b.e);
    for (int i = 0; i < 10; i++) b.a += 3, b.b += 7;
    printf("%u %d\n", b.a, b.b);
    return b.a;
}
