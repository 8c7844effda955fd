// Whether completions are waited for hangs on the name of a thread that is never created.
#include "grid.h"
#include <pthread.h>
static pthread_t poller;
static char page[64];
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
  run(&here);
}
