// A poller sets a flag under the lock that it took behind the poll.
#include "grid.h"
#include <pthread.h>
static char page[64];
static int done;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static void *poller(void *p) {
  struct link *l = p;
  take(l->cq);
  pthread_mutex_lock(&m);
  done = 1;
  pthread_cond_signal(&c);
  pthread_mutex_unlock(&m);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  put(l, page, 64, 0);
  if (pthread_create(&t, 0, poller, l))
    abort();
  pthread_mutex_lock(&m);
  while (!done)
    pthread_cond_wait(&c, &m);
  pthread_mutex_unlock(&m);
  page[0] = 1;
  pthread_join(t, 0);
}
