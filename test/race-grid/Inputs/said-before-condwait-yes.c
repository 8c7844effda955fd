// Whoever waits for a condition opens the section, and the request is still out.
#include "grid.h"
#include <pthread.h>
static char page[64];
static volatile int posted;
static pthread_mutex_t mu = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
static int seen;
static void *reuse(void *p) {
  pthread_mutex_lock(&mu);
  if (posted)
    page[0]++;
  seen = 1;
  pthread_cond_signal(&cv);
  pthread_mutex_unlock(&mu);
  return p;
}
void run(struct link *l) {
  pthread_t t;
  pthread_create(&t, 0, reuse, 0);
  pthread_mutex_lock(&mu);
  put(l, page, 64, 0);
  posted = 1;
  while (!seen)
    pthread_cond_wait(&cv, &mu);
  take(l->cq);
  pthread_mutex_unlock(&mu);
  pthread_join(t, 0);
}
