// Twin: each has one lock, and the request is complete when it is given back.
#include "grid.h"
#include <pthread.h>
static char page[64];
static volatile int posted;
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static void *reuse(void *p) {
  pthread_mutex_lock(&mu);
  if (posted)
    page[0]++;
  pthread_mutex_unlock(&mu);
  return p;
}
void run(struct link *l) {
  pthread_t t;
  pthread_create(&t, 0, reuse, 0);
  (void)other;
  pthread_mutex_lock(&mu);
  put(l, page, 64, 0);
  posted = 1;
  take(l->cq);
  pthread_mutex_unlock(&mu);
  pthread_join(t, 0);
}
