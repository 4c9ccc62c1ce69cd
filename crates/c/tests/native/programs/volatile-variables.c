#include <stdio.h>
static volatile int shared = 3;
int main(void) {
    volatile unsigned char local = 250;
    for (int i = 0; i < 10; i++) local++, shared += local;
    printf("%d %d\n", shared, local);
    return local;
}
