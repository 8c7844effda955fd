// What is said of a request under one lock is read under another, and so may the page be used.
#include "grid.h"
#include <pthread.h>
static char page[64];
static volatile int posted;
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static void *reuse(void *p) {
  pthread_mutex_lock(&other);
  if (posted)
    page[0]++;
  pthread_mutex_unlock(&other);
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
