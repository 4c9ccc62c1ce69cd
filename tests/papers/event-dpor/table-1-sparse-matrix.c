// NETYS 2023, table 1, `sparse-mat`: one handler adds up the columns of a matrix, another one adds the sums.
//? verdict: verified
//? executions of optimal: 14
//? executions of optimal, N=3: 204
//? executions of event: 7
//? executions of event, N=3: 34
//? executions of event, N=5: 1546
#include <mazurka.h>
#include <stdatomic.h>
#define M 4
#ifndef N
#define N 2
#endif

static mazurka_handler columns, sums;
static int element[M][N], sum;
static atomic_int finished[N];

static void add(void *argument) {
    long i = (long)argument;
    sum += element[0][i];
    finished[i] = 1;
}

static void column(void *argument) {
    long i = (long)argument;
    for (int j = 1; j < M; j++) element[0][i] += element[j][i];
    mazurka_post(sums, add, argument);
}

int main(void) {
    columns = mazurka_any("columns");
    sums = mazurka_any("sums");
    for (int j = 0; j < M; j++)
        for (int i = 0; i < N; i++) element[j][i] = (i + j) % 2;
    for (long i = 0; i < N; i++) mazurka_post(columns, column, (void *)i);
    for (int i = 0; i < N; i++) atomic_load(&finished[i]);
}
