// One thread tells by the number that the other looks at by another name.
#include "grid.h"
#include <pthread.h>
struct told { volatile int *begun, *seen; };
static struct link *out;
static char page[64];
static void *other(void *arg) {
  struct told *t = arg;
  while (!*t->seen)
    ;
  page[0] = 1;
  return 0;
}
void run(struct link *l, struct told *t) {
  pthread_t by;
  if (pthread_create(&by, 0, other, t))
    abort();
  put(l, page, 64, 0);
  take(l->cq);
  *t->begun = 1;
}
