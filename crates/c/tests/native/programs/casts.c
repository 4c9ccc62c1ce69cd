#include <stdint.h>
#include <stdio.h>
int main(void) {
    int64_t wide[] = { 0, 1, -1, 127, 128, 255, 256, 32768, 65535, 65536, INT32_MAX, 2147483648ll, INT64_MAX, INT64_MIN };
    for (unsigned i = 0; i < sizeof wide / sizeof *wide; i++) {
        int64_t v = wide[i];
        printf("%d %u %d %u %d %u %llu %d\n", (int8_t)v, (uint8_t)v, (int16_t)v, (uint16_t)v, (int32_t)v, (uint32_t)v, (unsigned long long)v, (_Bool)v);
        printf("%ld %ld %lu %lu\n", (long)(int8_t)v, (long)(uint8_t)v, (unsigned long)(int16_t)v, (unsigned long)(uint32_t)v);
    }
    return 300;
}
