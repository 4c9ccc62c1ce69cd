#include <stdio.h>
#include <stdlib.h>
static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void insertion(int *a, int n) { for (int i = 1; i < n; i++) { int v = a[i], j = i; while (j > 0 && a[j - 1] > v) a[j] = a[j - 1], j--; a[j] = v; } }
static void quick(int *a, int low, int high) { if (low >= high) return; int p = a[high], i = low; for (int j = low; j < high; j++) if (a[j] < p) { int t = a[i]; a[i++] = a[j]; a[j] = t; } a[high] = a[i]; a[i] = p; quick(a, low, i - 1); quick(a, i + 1, high); }
int main(void) {
    int a[20], b[20];
    unsigned seed = 12345;
    for (int i = 0; i < 20; i++) { seed = seed * 1103515245 + 12345; a[i] = b[i] = (int)(seed >> 16) % 1000; }
    insertion(a, 20), quick(b, 0, 19);
    for (int i = 0; i < 20; i++) printf("%d%s", a[i], a[i] == b[i] ? " " : "! ");
    printf("\n%d\n", by_value(&a[0], &a[19]) < 0);
    return a[10] & 255;
}
