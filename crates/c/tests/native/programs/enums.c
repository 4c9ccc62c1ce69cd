#include <stdio.h>
enum colour { red, green = 5, blue, none = -1 };
enum big { huge = 0x100000000 };
static const char *name(enum colour c) { switch (c) { case red: return "red"; case green: return "green"; case blue: return "blue"; default: return "none"; } }
int main(void) {
    for (enum colour c = red; c <= blue; c += green) printf("%d %s\n", c, name(c));
    printf("%s %zu %lld\n", name(none), sizeof(enum colour), (long long)huge);
    return blue;
}
