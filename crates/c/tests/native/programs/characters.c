#include <ctype.h>
#include <stdio.h>
int main(void) {
    for (int c = 0; c < 128; c++)
        printf("%d%d%d%d%d%d %c%c\n", !!isdigit(c), !!isalpha(c), !!isalnum(c), !!isspace(c), !!isupper(c), !!islower(c), isalpha(c) ? toupper(c) : '.', isalpha(c) ? tolower(c) : '.');
    return 0;
}
