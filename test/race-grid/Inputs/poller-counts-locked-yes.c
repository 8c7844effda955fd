// What is out is counted under a lock; one that is still out is not waited for.
#include "grid.h"
#include <pthread.h>
static char page[64];
static int out;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *poller(void *p) {
  struct link *l = p;
  take(l->cq);
  pthread_mutex_lock(&m);
  out--;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  pthread_mutex_lock(&m);
  put(l, page, 64, 0);
  out++;
  pthread_mutex_unlock(&m);
  if (pthread_create(&t, 0, poller, l))
    abort();
  pthread_mutex_lock(&m);
  while (out > 1)
    pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  page[0] = 1;
  pthread_join(t, 0);
}
