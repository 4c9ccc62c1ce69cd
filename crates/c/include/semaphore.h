/* Semaphores, as the model knows them. */
#ifndef MAZURKA_SEMAPHORE_H
#define MAZURKA_SEMAPHORE_H
#define _SEMAPHORE_H 1

#include <time.h>

typedef struct { unsigned mazurka_count; unsigned mazurka_unused; } sem_t;

int sem_init(sem_t *, int, unsigned);
int sem_destroy(sem_t *);
int sem_wait(sem_t *);
int sem_trywait(sem_t *);
int sem_timedwait(sem_t *, const struct timespec *);
int sem_clockwait(sem_t *, int, const struct timespec *);
int sem_post(sem_t *);
int sem_getvalue(sem_t *, int *);

#endif
