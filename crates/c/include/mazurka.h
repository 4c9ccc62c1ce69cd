/* Handlers, choices and assumptions for programs that are checked. Without a checker the same program runs on threads. */
#ifndef MAZURKA_H
#define MAZURKA_H

typedef struct mazurka_handler *mazurka_handler; /* runs one message at a time, to its end */

#ifdef __MAZURKA__

mazurka_handler mazurka_any(const char *name);  /* takes its messages in any order */
mazurka_handler mazurka_fifo(const char *name); /* takes them in the order of arrival */
void mazurka_post(mazurka_handler, void (*message)(void *), void *argument);
int mazurka_choose(int from, int to); /* from ... to - 1: all are explored */
void mazurka_assume(int holds);       /* otherwise the execution does not count */
void mazurka_atomic_begin(void);
void mazurka_atomic_end(void);
void mazurka_event(const char *name, void (*happens)(void)); /* may happen again and again */

#endif
#endif
