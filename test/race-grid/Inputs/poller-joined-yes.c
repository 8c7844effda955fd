// A thread that polls is waited for behind the write of the page.
#include "grid.h"
#include <pthread.h>
static char page[64];
static void *poller(void *p) {
  struct link *l = p;
  take(l->cq);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  put(l, page, 64, 0);
  if (pthread_create(&t, 0, poller, l))
    abort();
  page[0] = 1;
  pthread_join(t, 0);
}
