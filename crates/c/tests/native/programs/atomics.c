#include <stdatomic.h>
#include <stdio.h>
static atomic_int n = 5;
static _Atomic unsigned char small = 250;
static _Atomic(long) wide;
static atomic_flag flag = ATOMIC_FLAG_INIT;
int main(void) {
    printf("%d %d %d\n", atomic_fetch_add(&n, 3), atomic_fetch_sub(&n, 1), atomic_load(&n));
    printf("%d %d %d\n", atomic_fetch_or(&n, 8), atomic_fetch_and(&n, 12), atomic_fetch_xor(&n, 5));
    n += 10, n++, small += 10;
    printf("%d %d %d\n", n, small, atomic_exchange(&n, -4));
    int expected = 3;
    printf("%d %d\n", atomic_compare_exchange_strong(&n, &expected, 9), expected);
    printf("%d %d\n", atomic_compare_exchange_strong(&n, &expected, 9), n);
    printf("%d %d\n", atomic_flag_test_and_set(&flag), atomic_flag_test_and_set(&flag));
    atomic_store_explicit(&wide, 1l << 40, memory_order_release);
    atomic_thread_fence(memory_order_seq_cst);
    printf("%ld %ld\n", atomic_load_explicit(&wide, memory_order_acquire), atomic_fetch_or(&wide, 1));
    int plain = 7;
    printf("%d %d %d\n", __sync_fetch_and_add(&plain, 2), __sync_bool_compare_and_swap(&plain, 9, 1), __sync_val_compare_and_swap(&plain, 5, 6));
    printf("%d %d\n", __sync_add_and_fetch(&plain, 4), __sync_lock_test_and_set(&plain, 0));
    return n;
}
