// A spin lock of the program's own, whose test takes the wrong value for free.
#include "grid.h"
#include <pthread.h>
#include <stdatomic.h>
static char page[64];
static atomic_int lock, posted;
static void enter(void) {
  int free_ = 0;
  while (!atomic_compare_exchange_strong(&lock, &free_, 1) && !free_)
    free_ = 0;
}
static void leave(void) { atomic_store(&lock, 0); }
static void *writer(void *p) {
  enter();
  if (posted)
    page[0] = 1;
  leave();
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  if (pthread_create(&t, 0, writer, 0))
    abort();
  enter();
  put(l, page, 64, 0);
  posted = 1;
  take(l->cq);
  leave();
  pthread_join(t, 0);
}
