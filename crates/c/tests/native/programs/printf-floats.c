#include <stdio.h>
int main(void) {
    double v[] = { 0, 1, -1, 0.5, 1.5, 2.5, 1234567.891, 1e-5, 9.9999e-5, 1e15, 1e16, 1e17, 123456, 1234567, 0.0001, -0.0, 3.0e-310 };
    for (int i = 0; i < (int)(sizeof v / sizeof *v); i++)
        printf("[%f] [%.0f] [%.1f] [%10.2f] [%-10.2f] [%010.2f] [%+f] [%e] [%.2e] [%E] [%g] [%G] [%.3g] [%.10g] [%#g]\n", v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i], v[i]);
    float single = 0.1f;
    printf("%f %.20f\n", single, single);
    return 0;
}
