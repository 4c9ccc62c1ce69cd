#include <stdio.h>
int main() { puts("falls off the end"); }
