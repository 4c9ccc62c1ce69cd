#include <stdio.h>
struct point { int x, y; };
struct line { struct point from, to; const char *name; };
struct big { long a[10]; };
struct mixed { char c; double d; short s; };
struct pair_of_floats { float a, b; };
static struct point add(struct point a, struct point b) { a.x += b.x, a.y += b.y; return a; }
static struct line make(struct point p, int n) { struct line l = { p, { p.x + n, p.y - n }, "line" }; p.x = 99; return l; }
static struct big fill(struct big b, long v) { for (int i = 0; i < 10; i++) b.a[i] += v * i; return b; }
static struct mixed mix(struct mixed m) { m.c++, m.d *= 2, m.s = -m.s; return m; }
static struct pair_of_floats half(struct pair_of_floats p) { p.a /= 2, p.b /= 2; return p; }
int main(void) {
    struct point p = { 1, 2 }, q = add(p, (struct point){ .y = 5 });
    struct line l = make(q, 3), copy = l;
    copy.from.x = 77;
    printf("%d %d %d %d %d %d %s\n", p.x, q.x, q.y, l.from.x, l.to.x, l.to.y, copy.name);
    struct big b = { { 1, 2, 3 } };
    struct big c = fill(b, 10);
    printf("%ld %ld %ld\n", b.a[9], c.a[1], c.a[9]);
    struct mixed m = mix((struct mixed){ 'a', 1.25, 7 });
    printf("%c %g %d %zu\n", m.c, m.d, m.s, sizeof m);
    struct pair_of_floats f = half((struct pair_of_floats){ 3, 5 });
    printf("%g %g %d\n", f.a, f.b, add(p, q).y);
    return copy.from.x;
}
