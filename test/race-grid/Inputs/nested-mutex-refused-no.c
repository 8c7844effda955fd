// A mutex that checks for errors refuses its owner, who then gives it back too early.
#include "grid.h"
#include <pthread.h>
static char page[64];
static int posted;
static pthread_mutex_t m = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static void *writer(void *p) {
  pthread_mutex_lock(&m);
  if (__atomic_load_n(&posted, __ATOMIC_ACQUIRE))
    page[0] = 1;
  pthread_mutex_unlock(&m);
  return p;
}
static void post(struct link *l) {
  pthread_mutex_lock(&m);
  put(l, page, 64, 0);
  __atomic_store_n(&posted, 1, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&m);
}
void run(struct link *l) {
  pthread_t t;
  if (pthread_create(&t, 0, writer, 0))
    abort();
  pthread_mutex_lock(&m);
  post(l);
  take(l->cq);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
