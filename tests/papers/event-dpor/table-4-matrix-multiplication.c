// NETYS 2023, table 4, `mat-mult`: M * N threads each post one element to the handler of its column. Nothing conflicts.
//? verdict: verified
//? executions of optimal: 4
//? executions of optimal, M=3, N=3: 216
//? executions of event: 1
//? executions of event, M=4, N=5, K=5: 1
#include <mazurka.h>
#include <pthread.h>
#ifndef M
#define M 2
#endif
#ifndef N
#define N 2
#endif
#ifndef K
#define K 1
#endif

static mazurka_handler column[N];
static int a[M][K], b[K][N], c[M][N];

static void multiply(void *argument) {
    long i = (long)argument / N, j = (long)argument % N;
    int element = 0;
    for (int l = 0; l < K; l++) element += a[i][l] * b[l][j];
    c[i][j] = element;
}

static void *poster(void *argument) {
    mazurka_post(column[(long)argument % N], multiply, argument);
    return 0;
}

int main(void) {
    for (int j = 0; j < N; j++) column[j] = mazurka_any("column");
    for (long p = 0; p < M * N; p++) {
        pthread_t thread;
        pthread_create(&thread, 0, poster, (void *)p);
    }
}
