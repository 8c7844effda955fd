// A page that one thread sends, and another changes when it is told that it was posted. The program says what `enter` and `leave` do, and
// what the other does under the lock where that is more than one change.
#pragma once

#include "grid.h"
#include <pthread.h>

static char page[64];
static int posted;
static void enter(void);
static void leave(void);
static void change(void) {
  if (__atomic_load_n(&posted, __ATOMIC_ACQUIRE))
    page[0] = 1;
}
#ifdef OWN_WRITER
static void *writer(void *p);
#else
static void *writer(void *p) {
  enter();
  change();
  leave();
  return p;
}
#endif
void run(struct link *l) {
  pthread_t t;
  if (pthread_create(&t, 0, writer, 0))
    abort();
  enter();
  put(l, page, 64, 0);
  __atomic_store_n(&posted, 1, __ATOMIC_RELEASE);
  take(l->cq);
  leave();
  pthread_join(t, 0);
}
