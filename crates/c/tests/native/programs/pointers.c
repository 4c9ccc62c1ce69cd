#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
struct node { int value; struct node *next; };
static struct node third = { 3, NULL }, second = { 2, &third }, first = { 1, &second };
static int grid[3][4] = { { 1, 2 }, { 3, 4, 5 }, { [2] = 6 } };
static void swap(int **a, int **b) { int *c = *a; *a = *b, *b = c; }
int main(void) {
    for (struct node *n = &first; n; n = n->next) printf("%d ", n->value);
    int sum = 0, *p = &grid[0][0], *end = &grid[2][3] + 1;
    while (p != end) sum += *p++;
    int (*row)[4] = grid + 1;
    printf("\n%d %d %d %ld\n", sum, (*row)[2], row[1][2], (long)(end - &grid[0][0]));
    int x = 1, y = 2, *a = &x, *b = &y;
    swap(&a, &b);
    *a += 10;
    printf("%d %d %d\n", x, y, *b);
    uintptr_t number = (uintptr_t)&grid[1];
    printf("%d %d\n", ((int *)number)[2], ((int *)(number + sizeof(int)))[0]);
    char *bytes = (char *)&x;
    printf("%d %zu %zu\n", bytes[0], offsetof(struct node, next), sizeof(struct node));
    void *any = &first;
    printf("%d %d\n", ((struct node *)any)->next->value, *(int *)any);
    const char *text = "pointer";
    printf("%c %c %s %ld\n", *text, text[3], text + 2, (long)((text + 5) - text));
    return 0;
}
