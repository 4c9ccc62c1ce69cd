/* Makes the exit code a part of the output, whichever way the program ends. */
#include <stdio.h>
#include <stdlib.h>

int tested_main();

static void tested_exit(int code) {
    printf("\nexit code %d\n", code & 255);
    fflush(stdout);
    exit(code);
}

int main(int argc, char **argv) {
    tested_exit(tested_main(argc, argv));
}

#define main tested_main
#define exit tested_exit
