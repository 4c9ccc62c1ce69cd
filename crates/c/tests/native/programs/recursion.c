#include <stdio.h>
static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }
static int is_odd(unsigned n);
static int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }
static unsigned long factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
static void hanoi(int n, int from, int to, int by, int *moves) { if (n == 0) return; hanoi(n - 1, from, by, to, moves); ++*moves; hanoi(n - 1, by, to, from, moves); }
static int depth(int n) { char local[16]; local[n % 16] = (char)n; return n == 0 ? local[0] : depth(n - 1) + (local[n % 16] == (char)n); }
int main(void) {
    int moves = 0;
    hanoi(7, 1, 3, 2, &moves);
    printf("%d %d %d %lu %d %d\n", ackermann(2, 3), is_even(40), is_odd(40), factorial(20), moves, depth(200));
    return 0;
}
