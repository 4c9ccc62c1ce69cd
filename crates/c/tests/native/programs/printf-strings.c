#include <stdio.h>
#include <string.h>
int main(void) {
    char buffer[32], small[6];
    printf("[%s] [%10s] [%-10s] [%.3s] [%10.2s] [%.*s]\n", "hello", "hello", "hello", "hello", "hello", 4, "hello");
    int n = sprintf(buffer, "%d:%s:%c", 12, "ab", 'z');
    printf("%d %s\n", n, buffer);
    n = snprintf(small, sizeof small, "%s", "longer than that");
    printf("%d %s %zu\n", n, small, strlen(small));
    puts("puts");
    putchar('p'), putchar('\n');
    fputs("fputs\n", stdout);
    fputc('q', stdout);
    fprintf(stdout, "%s\n", "");
    fwrite("abc\ndef", 1, 4, stdout);
    return n;
}
