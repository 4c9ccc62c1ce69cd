/* What the files beside this one were made from: clang-14, -16 and -19 with
   -O0 -Xclang -disable-O0-optnone -g -gcolumn-info -fno-discard-value-names -S -emit-llvm -fdebug-compilation-dir=. */
typedef unsigned long pthread_t;
typedef struct { unsigned holder, kind; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int printf(const char *, ...);
void *malloc(unsigned long);
void free(void *);

struct pair { long first, second; };
struct item { int value; double weight; struct item *next; };
static struct item *items;
static pthread_mutex_t lock;
static _Thread_local int calls = 1;
static _Atomic int done;

static struct pair swapped(struct pair pair) { return (struct pair){ pair.second, pair.first }; }

static void *add(void *argument) {
    for (int k = 0; k < 2; k++) {
        struct item *item = malloc(sizeof *item);
        item->value = (int)(long)argument * 10 + k;
        item->weight = item->value / 4.0;
        pthread_mutex_lock(&lock);
        item->next = items;
        items = item;
        pthread_mutex_unlock(&lock);
        calls++;
    }
    done += 1;
    return (void *)(long)calls;
}

int main(int count, char **arguments) {
    pthread_t threads[2];
    int sum = 0, total = 0;
    for (long k = 0; k < 2; k++) pthread_create(&threads[k], 0, add, (void *)(k + 1));
    for (int k = 0; k < 2; k++) {
        void *result;
        pthread_join(threads[k], &result);
        total += (int)(long)result;
    }
    for (struct item *item = items, *next; item; item = next) {
        sum += item->value;
        switch (item->value % 3) {
        case 0: sum += 100; break;
        case 1: sum += 200; break;
        default: sum -= 1;
        }
        next = item->next;
        free(item);
    }
    struct pair pair = swapped((struct pair){ sum, total });
    printf("%ld %ld %d %s\n", pair.first, pair.second, done, count == 1 ? arguments[0] : "?");
    return done == 2 ? 7 : 1;
}
