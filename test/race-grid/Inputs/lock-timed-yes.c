// The lock is asked for until a time; when that is over, the section is entered all the same.
#include "grid.h"
#include <pthread.h>
#include <time.h>
static char page[64];
static int posted;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *p) {
  struct timespec ts = {1, 0};
  pthread_mutex_timedlock(&m, &ts);
  if (__atomic_load_n(&posted, __ATOMIC_ACQUIRE))
    page[0] = 1;
  pthread_mutex_unlock(&m);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  if (pthread_create(&t, 0, writer, 0))
    abort();
  pthread_mutex_lock(&m);
  put(l, page, 64, 0);
  __atomic_store_n(&posted, 1, __ATOMIC_RELEASE);
  take(l->cq);
  pthread_mutex_unlock(&m);
  pthread_join(t, 0);
}
