#include <stdio.h>
#include <string.h>
static int sum(int n, int grid[n][n]) { int t = 0; for (int i = 0; i < n; i++) t += grid[i][n - 1 - i]; return t; }
int main(void) {
    int total = 0;
    for (int n = 1; n < 6; n++) {
        int grid[n][n];
        for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) grid[i][j] = i * n + j;
        total += sum(n, grid) + (int)sizeof grid;
        char text[n + 1];
        memset(text, 'v', n);
        text[n] = 0;
        printf("%s %d\n", text, total);
    }
    return total & 127;
}
