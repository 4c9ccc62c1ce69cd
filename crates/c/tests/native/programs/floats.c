#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
int main(void) {
    double d[] = { 0.0, 1.0, -1.5, 3.14159265358979, 1e10, 1e-10, 123456789.125, 1e300 };
    for (int i = 0; i < 8; i++) {
        for (int j = 1; j < 7; j++) printf("%g %g %g %g|", d[i] + d[j], d[i] - d[j], d[i] * d[j], d[i] / d[j]);
        float f = (float)d[i];
        printf("\n%a %.10g %d\n", d[i], f, d[i] < 2.0);
    }
    float x = 0.1f, y = 0.2f;
    printf("%.9g %.17g %d\n", x + y, 0.1 + 0.2, x + y == 0.3f);
    printf("%d %ld %u %d\n", (int)-3.99, (long)1e15, (unsigned)4e9, (signed char)-7.5);
    printf("%.3f %.3f %.3f\n", (double)-5, (double)4294967295u, (float)16777217);
    unsigned long bits;
    double minus = -2.5;
    memcpy(&bits, &minus, sizeof bits);
    printf("%lx %f %f\n", bits, 1.0 / 0.0, -1.0 / 0.0);
    double nan = 0.0 / 0.0 < 1 ? 1.0 : 2.0;
    printf("%f %d\n", nan, (0.0 / 0.0) != (0.0 / 0.0));
    printf("%.4f %.4f %.4f\n", sqrt(2.0), fabs(-3.25), floor(-2.5));
    return 0;
}
