// Twin: each has one lock, and the request is complete when it is given back.
#include "grid.h"
#include <pthread.h>
static char page[64];
static volatile int posted;
static pthread_spinlock_t sp;
static void *reuse(void *p) {
  pthread_spin_lock(&sp);
  if (posted)
    page[0]++;
  pthread_spin_unlock(&sp);
  return p;
}
void run(struct link *l) {
  pthread_t t;
  pthread_spin_init(&sp, 0);
  pthread_create(&t, 0, reuse, 0);
  pthread_spin_lock(&sp);
  put(l, page, 64, 0);
  posted = 1;
  take(l->cq);
  pthread_spin_unlock(&sp);
  pthread_join(t, 0);
}
