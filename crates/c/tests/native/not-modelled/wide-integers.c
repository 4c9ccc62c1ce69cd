#include <stdio.h>
int main(void) {
    unsigned __int128 product = (unsigned __int128)0xffffffffffffffffull * 0xfedcba9876543210ull;
    printf("%llx %llx\n", (unsigned long long)(product >> 64), (unsigned long long)product);
    __int128 sum = (__int128)1 << 100;
    sum -= 1;
    printf("%llx %d\n", (unsigned long long)(sum >> 60), sum < 0);
    return 0;
}
