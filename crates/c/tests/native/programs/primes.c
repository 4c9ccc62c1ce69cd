#include <stdio.h>
#include <string.h>
#define LIMIT 500
static unsigned char composite[LIMIT];
int main(void) {
    int count = 0, last = 0;
    for (int i = 2; i < LIMIT; i++) { if (composite[i]) continue; count++, last = i; for (int j = i * i; j < LIMIT; j += i) composite[j] = 1; }
    printf("%d %d\n", count, last);
    memset(composite, 0, sizeof composite);
    return count;
}
