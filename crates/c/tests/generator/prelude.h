#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Division that is defined for all operands. */
#define DIVISION(name, type, least)                                             \
    static type div_##name(type a, type b) {                                    \
        return b == 0 || (b == (type)-1 && a == (least)) ? a : (type)(a / b);   \
    }                                                                           \
    static type rem_##name(type a, type b) {                                    \
        return b == 0 || (b == (type)-1 && a == (least)) ? b : (type)(a % b);   \
    }
DIVISION(i8, signed char, SCHAR_MIN)
DIVISION(u8, unsigned char, 0)
DIVISION(i16, short, SHRT_MIN)
DIVISION(u16, unsigned short, 0)
DIVISION(i32, int, INT_MIN)
DIVISION(u32, unsigned, 0)
DIVISION(i64, long, LONG_MIN)
DIVISION(u64, unsigned long, 0)

/* Conversions from floats that are defined for all operands. */
static long whole(double value) {
    return value > -4e18 && value < 4e18 ? (long)value : 7;
}
static unsigned char small(float value) {
    return value > -0.5f && value < 255.5f ? (unsigned char)value : 9;
}
