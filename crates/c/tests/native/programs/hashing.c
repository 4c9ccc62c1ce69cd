#include <stdint.h>
#include <stdio.h>
static uint32_t fnv(const char *s) { uint32_t h = 2166136261u; while (*s) h = (h ^ (uint8_t)*s++) * 16777619u; return h; }
static uint32_t crc(const uint8_t *p, int n) { uint32_t c = ~0u; while (n--) { c ^= *p++; for (int k = 0; k < 8; k++) c = c & 1 ? (c >> 1) ^ 0xedb88320u : c >> 1; } return ~c; }
static uint64_t mix(uint64_t x) { x ^= x >> 33; x *= 0xff51afd7ed558ccdull; x ^= x >> 33; x *= 0xc4ceb9fe1a85ec53ull; return x ^ x >> 33; }
static uint32_t rotate(uint32_t x, int by) { return x << by | x >> (32 - by); }
int main(void) {
    printf("%08x %08x %016llx %08x\n", fnv("mazurka"), crc((const uint8_t *)"123456789", 9), (unsigned long long)mix(42), rotate(0x80000001u, 4));
    return fnv("x") & 127;
}
