// Another thread leaves all posting to this one.
#include "grid.h"
#include <pthread.h>
static uint64_t page, other, seen;
static void *beside(void *p) {
  other = ((struct link *)p)->far;
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  pthread_create(&t, 0, beside, l);
  fetch(l, &page, 8, 0);
  take(l->cq);
  seen = page;
  pthread_join(t, 0);
}
