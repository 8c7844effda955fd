// What is posted in one critical section is changed in the next.
#include "grid.h"
#include <pthread.h>
static char buf[64];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *reuse(void *p) {
  pthread_mutex_lock(&m);
  buf[0]++;
  pthread_mutex_unlock(&m);
  return p;
}
void run(struct link *l) {
  pthread_t t;
  pthread_create(&t, 0, reuse, 0);
  pthread_mutex_lock(&m);
  put(l, buf, 64, 0);
  take(l->cq);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
