#include <stdio.h>
#include <stdlib.h>
int main(void) {
    printf("%d %d %d %d %d\n", atoi("42"), atoi("  -17xyz"), atoi("+8"), atoi(""), atoi("x"));
    char *end;
    printf("%ld %ld %ld %ld\n", strtol("123abc", &end, 10), strtol("ff", NULL, 16), strtol("0x1F", NULL, 0), strtol("-0777", NULL, 8));
    printf("%ld %d %ld\n", atol("123456789012"), abs(-5), labs(-50000000000l));
    strtol("99 bottles", &end, 10);
    printf("[%s]\n", end);
    return 0;
}
