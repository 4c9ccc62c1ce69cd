/* The types of threads and locks, as the model has them: eight bytes each, and all of them 0 at first.
   This file is read before all others, and keeps the C library from defining the same types. */
#ifndef MAZURKA_TYPES_H
#define MAZURKA_TYPES_H

#define __have_pthread_attr_t 1 /* for signal.h */

typedef unsigned long pthread_t;
typedef struct { long mazurka_kind; } pthread_attr_t;
typedef struct { long mazurka_kind; } pthread_mutexattr_t;
typedef struct { long mazurka_kind; } pthread_condattr_t;
typedef struct { long mazurka_kind; } pthread_rwlockattr_t;
typedef struct { long mazurka_kind; } pthread_barrierattr_t;
typedef struct { unsigned mazurka_holder; unsigned mazurka_kind; } pthread_mutex_t;
typedef struct { unsigned mazurka_waiters; unsigned mazurka_kind; } pthread_cond_t;
typedef struct { unsigned mazurka_writer; unsigned mazurka_readers; } pthread_rwlock_t;
typedef struct { unsigned mazurka_needed; unsigned mazurka_there; } pthread_barrier_t;
typedef struct { unsigned mazurka_holder; unsigned mazurka_kind; } pthread_spinlock_t;
typedef unsigned pthread_key_t;
typedef int pthread_once_t;

#endif
