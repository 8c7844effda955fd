// One lock guards a queue of two threads; a third waits with it, and does not hold it.
#include "sharers.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int finished;
static void use(struct link *l, int id) {
  pthread_mutex_lock(&m);
  put(l, &page[id], 8, 8 * id);
  take(l->cq);
  finished++;
  pthread_cond_broadcast(&done);
  pthread_mutex_unlock(&m);
  page[id] = 1;
}
static void *third(void *p) {
  while (finished < 2)
    pthread_cond_wait(&done, &m);
  return p;
}
void run(struct link *l) {
  pthread_t sharers[2], c;
  start(sharers, l);
  pthread_create(&c, 0, third, l);
  finish(sharers);
  pthread_join(c, 0);
}
