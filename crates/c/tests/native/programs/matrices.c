#include <stdio.h>
typedef struct { double m[3][3]; } matrix;
static matrix times(matrix a, matrix b) { matrix c = { 0 }; for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) for (int k = 0; k < 3; k++) c.m[i][j] += a.m[i][k] * b.m[k][j]; return c; }
static float dot(const float *a, const float *b, int n) { float s = 0; while (n-- > 0) s += *a++ * *b++; return s; }
int main(void) {
    matrix a = { { { 1, 2, 3 }, { 0, 1, 4 }, { 5, 6, 0 } } }, p = a;
    for (int i = 0; i < 3; i++) p = times(p, a);
    for (int i = 0; i < 3; i++) printf("%g %g %g\n", p.m[i][0], p.m[i][1], p.m[i][2]);
    float x[] = { 0.1f, 0.2f, 0.3f }, y[] = { 3, 2, 1 };
    printf("%.8f\n", dot(x, y, 3));
    return 0;
}
