// Whether completions are waited for hangs on the name of a thread, which main sets as it creates the thread.
#include "grid.h"
#include <pthread.h>
static pthread_t poller;
static char page[64];
static void *idle(void *given) { return given; }
void run(struct link *l) {
  for (int i = 0; i < 100; i++) {
    page[0] = i;
    put(l, page, 64, 0);
    if (!poller)
      take(l->cq);
  }
}
int main(void) {
  static struct link here;
  pthread_create(&poller, 0, idle, 0);
  run(&here);
}
