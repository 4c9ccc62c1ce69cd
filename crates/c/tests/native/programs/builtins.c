#include <stdio.h>
#include <strings.h>
int main(void) {
    unsigned values[] = { 1, 2, 3, 0x80000000u, 0xf0f0f0f0u, 0xffffffffu };
    for (int i = 0; i < 6; i++) {
        unsigned v = values[i];
        printf("%d %d %d %d %x %d\n", __builtin_clz(v), __builtin_ctz(v), __builtin_popcount(v), __builtin_ffs((int)v), __builtin_bswap32(v), __builtin_parity(v));
        unsigned long w = (unsigned long)v << 7;
        printf("%d %d %d %lx\n", __builtin_clzl(w), __builtin_ctzl(w), __builtin_popcountl(w), __builtin_bswap64(w));
    }
    int result;
    long wide;
    printf("%d ", __builtin_add_overflow(2147483647, 1, &result));
    printf("%d %d ", result, __builtin_mul_overflow(65536, 65535, &result));
    printf("%d %d ", result, __builtin_sub_overflow(-5l, 3l, &wide));
    printf("%ld %d %d\n", wide, ffs(24), __builtin_expect(3, 3));
    return 0;
}
