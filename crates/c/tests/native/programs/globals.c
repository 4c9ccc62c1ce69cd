#include <stdio.h>
struct item { const char *name; int price; struct item *next; double weight; char code[4]; };
static struct item last = { "last", 3, 0, 0.5, "xyz" };
struct item items[3] = { { "first", 1, &items[1], 1.5, "a" }, { .price = 2, .next = &last, .code = { 'q' } } };
static int counter = 5, *where = &counter, **twice = &where;
const int table[] = { [3] = 33, [1] = 11 };
static char text[] = "text", room[10] = "room";
static const char *const words[] = { "zero", "one", "two" };
long numbers[2][2] = { { 1 }, { 2, 3 } };
static int *middle = (int *)table + 1;
float fraction = 0.25f;
extern int defined_later;
static int next(void) { static int n = 10; static char tag[] = "t"; tag[0]++; return n++ * 100 + tag[0]; }
int main(void) {
    for (struct item *i = items; i; i = i->next) printf("%s %d %g %.4s\n", i->name ? i->name : "-", i->price, i->weight, i->code);
    **twice += 1;
    printf("%d %zu %d %d %s %s %zu %zu %s\n", counter, sizeof table / sizeof *table, table[3], table[2], text, room, sizeof text, sizeof room, words[2]);
    printf("%ld %ld %d %g %d\n", numbers[0][1], numbers[1][1], *middle, fraction, defined_later);
    next();
    printf("%d %d\n", next(), next());
    return defined_later;
}
int defined_later = 44;
