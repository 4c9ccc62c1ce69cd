#include <stdarg.h>
#include <stdio.h>
static void say(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
}
static int format(char *buffer, unsigned long size, const char *text, ...) {
    va_list arguments;
    va_start(arguments, text);
    int n = vsnprintf(buffer, size, text, arguments);
    va_end(arguments);
    return n;
}
int main(void) {
    char buffer[16];
    say("%d %s %g %ld\n", 1, "two", 3.5, 4l);
    int n = format(buffer, sizeof buffer, "%05d|%-4s|%c", 42, "ab", 'x');
    printf("%d %s\n", n, buffer);
    float f = 2.5f;
    short s = -3;
    char c = 'c';
    say("%f %d %c %d %d %d %d %d %d %d\n", f, s, c, 1, 2, 3, 4, 5, 6, 7);
    return n;
}
