// Three threads are started by one helper: each start is a place of its own, though the innermost is the
// same.
#include "grid.h"
#include <pthread.h>
static char buf[64];
static void *rest(void *p) { return p; }
static void *idle(void *p) { return p; }
static void *racer(void *p) {
  struct link *l = p;
  put(l, buf, 64, 0);
  take(l->cq);
  buf[0] = 1;
  return p;
}
static void start(void *(*routine)(void *), void *given) {
  pthread_t t;
  pthread_create(&t, 0, routine, given);
  pthread_detach(t);
}
void run(struct link *l) {
  start(rest, l);
  start(idle, l);
  start(racer, l);
}
