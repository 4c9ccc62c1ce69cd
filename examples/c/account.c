// Two withdrawals: each looks at the balance first, under the lock, but the lock is released before the money is taken.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
struct account { int balance; int log[2]; } account = { 100 };
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int read_balance(void) {
  pthread_mutex_lock(&m);
  int b = account.balance;
  pthread_mutex_unlock(&m);
  return b;
}
void *withdraw(void *arg) {
  int amount = (int)(long)arg;
  if (read_balance() >= amount) {
    pthread_mutex_lock(&m);
    account.balance -= amount;
    printf("took %d\n", amount);
    pthread_mutex_unlock(&m);
  }
  return 0;
}
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, withdraw, (void *)80);
  pthread_create(&b, 0, withdraw, (void *)50);
  pthread_join(a, 0);
  pthread_join(b, 0);
  assert(account.balance >= 0);
  return 0;
}
//? verdict: violated
//? violation: assertion line 30
