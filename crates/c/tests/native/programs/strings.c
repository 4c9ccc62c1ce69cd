#include <stdio.h>
#include <string.h>
static int sign(int n) { return (n > 0) - (n < 0); }
int main(void) {
    char a[32] = "hello", b[32];
    strcpy(b, a);
    strcat(b, ", world");
    printf("%zu %s %d %d %d\n", strlen(b), b, sign(strcmp(a, b)), sign(strcmp(b, a)), strcmp(a, "hello"));
    printf("%d %d %s %s\n", strncmp(a, b, 5), sign(strncmp(a, "help", 4)), strchr(b, 'o'), strrchr(b, 'o'));
    printf("%s %d %d\n", strstr(b, "wor"), strstr(b, "xyz") == NULL, strchr(b, 'z') == NULL);
    memset(a, 'x', 4);
    strncpy(b, "abc", 8);
    printf("%s %s %d\n", a, b, b[7]);
    strncat(b, "defgh", 2);
    memmove(b + 2, b, 4);
    printf("%s %d %d\n", b, sign(memcmp("abc", "abd", 3)), memcmp("abc", "abd", 2));
    printf("%zu %d\n", strnlen("four", 2), (int)((char *)memchr("search", 'r', 6) - (char *)0 != 0));
    char *copy = strdup("copied");
    copy[0] = 'C';
    printf("%s %ld\n", copy, (long)(strchr(copy, 0) - copy));
    return (int)strlen(copy);
}
