#include <stdio.h>
struct inner { short a[3]; char tag; };
struct outer { struct inner list[2]; union { long n; char c[8]; } u; struct inner *at; };
static struct outer table[2] = { { { { { 1, 2, 3 }, 'x' }, { { 4 }, 'y' } }, { 0x4142434445464748 }, &table[1].list[1] }, { .list[1] = { { 7, 8, 9 }, 'z' } } };
static int total(const struct outer *o, int n) { int t = 0; for (int i = 0; i < n; i++) for (int j = 0; j < 2; j++) for (int k = 0; k < 3; k++) t += o[i].list[j].a[k]; return t; }
int main(void) {
    struct outer local = table[0], many[3] = { table[1], local };
    local.list[1].a[2] = 50;
    many[2] = local;
    many[2].list[0] = many[0].list[1];
    printf("%d %d %d %c %c\n", total(table, 2), total(many, 3), total(&local, 1), table[0].at->tag, table[0].u.c[0]);
    struct inner *p = &many[2].list[1], copy = *p--;
    printf("%d %d %c %zu %zu\n", copy.a[2], p->a[0], p->tag, sizeof(struct inner), sizeof(struct outer));
    int lengths[2][3][4], n = 0;
    for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) for (int k = 0; k < 4; k++) lengths[i][j][k] = n++;
    printf("%d %d\n", lengths[1][2][3], (*(lengths + 1))[1][2]);
    return 0;
}
