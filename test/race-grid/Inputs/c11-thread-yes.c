// A thread of C11 posts and does not wait.
#include "grid.h"
#include <threads.h>
static char buf[64];
static int racer(void *p) {
  struct link *l = p;
  put(l, buf, 64, 0);
  buf[0] = 1;
  take(l->cq);
  return 0;
}
void run(struct link *l) {
  thrd_t t;
  thrd_create(&t, racer, l);
  thrd_join(t, 0);
}
