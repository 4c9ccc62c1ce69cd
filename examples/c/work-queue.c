// A handler for events, as user interfaces and servers have one: it runs one message at a time, in order of arrival. The
// window may be closed before the answer comes.
//? verdict: violated
//? violation: crash line 19
#include <mazurka.h>
#include <pthread.h>
#include <stdlib.h>

struct window { int width; };

static mazurka_handler ui;
static struct window *window;

static void closed(void *unused) {
    free(window);
}

static void answered(void *size) {
    window->width = (int)(long)size;
}

static void *download(void *unused) {
    mazurka_post(ui, answered, (void *)640);
    return unused;
}

int main(void) {
    pthread_t thread;
    ui = mazurka_fifo("ui");
    window = malloc(sizeof *window);
    pthread_create(&thread, 0, download, 0);
    mazurka_post(ui, closed, 0);
    pthread_join(thread, 0);
}
