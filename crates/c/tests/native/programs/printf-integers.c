#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
int main(void) {
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.3d] [%8.3d] [%-8.3d|]\n", 42, 42, 42, 42, 42, 42, 7, 7, 7);
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.3d]\n", -42, -42, -42, -42, -42, -42, -7);
    printf("[%u] [%x] [%X] [%#x] [%o] [%#o] [%08x] [%#010x]\n", 42u, 0xbeefu, 0xbeefu, 255u, 8u, 8u, 0xabu, 0xabu);
    printf("[%ld] [%lld] [%lu] [%llx] [%hd] [%hhu] [%zu] [%td] [%jd]\n", -1l, -2ll, ~0ul, ~0ull, (short)-3, (unsigned char)250, (size_t)9, (ptrdiff_t)-9, (intmax_t)-8);
    printf("[%*d] [%-*d] [%.*d] [%c] [%3c] [%%] [%i]\n", 6, 1, 6, 2, 4, 3, 'x', 'y', 5);
    printf("[%#x] [%.0d] [%x]\n", 0, 0, -1);
    int count = printf("hello %s\n", "world");
    printf("%d\n", count);
    return count;
}
