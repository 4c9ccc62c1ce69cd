#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct list { int value; struct list *next; };
static struct list *push(struct list *l, int v) { struct list *n = malloc(sizeof *n); n->value = v, n->next = l; return n; }
int main(void) {
    struct list *l = NULL;
    for (int i = 0; i < 10; i++) l = push(l, i * i);
    long sum = 0;
    while (l) { struct list *next = l->next; sum += l->value; free(l); l = next; }
    printf("%ld\n", sum);
    int *numbers = calloc(4, sizeof *numbers);
    printf("%d\n", numbers[3]);
    for (int i = 0; i < 4; i++) numbers[i] = i + 1;
    numbers = realloc(numbers, 100 * sizeof *numbers);
    numbers[99] = 5;
    printf("%d %d %d\n", numbers[0], numbers[3], numbers[99]);
    int **rows = malloc(3 * sizeof *rows);
    for (int i = 0; i < 3; i++) { rows[i] = malloc(4 * sizeof **rows); memset(rows[i], 0, 4 * sizeof **rows); rows[i][i] = 1; }
    for (int i = 0; i < 3; i++) { for (int j = 0; j < 4; j++) printf("%d", rows[i][j]); free(rows[i]); putchar('\n'); }
    free(rows), free(numbers), free(NULL);
    char *bytes = malloc(16);
    memcpy(bytes, "0123456789abcdef", 16);
    long word;
    memcpy(&word, bytes + 3, sizeof word);
    printf("%lx %c\n", word, bytes[15]);
    bytes = realloc(bytes, 4);
    printf("%.4s\n", bytes);
    free(bytes);
    return 0;
}
