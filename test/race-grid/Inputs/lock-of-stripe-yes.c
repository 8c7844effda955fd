// The lock of a page is one of an array, by the number of the page or by another.
#include "grid.h"
#include <pthread.h>
static char page[4][64];
static int posted;
static pthread_mutex_t lock[4] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void *writer(void *p) {
  unsigned i = 3;
  pthread_mutex_lock(&lock[i & 1]);
  if (__atomic_load_n(&posted, __ATOMIC_ACQUIRE))
    page[i][0] = 1;
  pthread_mutex_unlock(&lock[i & 1]);
  return p;
}
void run(struct link *l) {
  pthread_t t;
  if (pthread_create(&t, 0, writer, 0))
    abort();
  for (unsigned i = 0; i < 4; i++) {
    pthread_mutex_lock(&lock[i]);
    put(l, page[i], 64, 0);
    if (i == 3)
      __atomic_store_n(&posted, 1, __ATOMIC_RELEASE);
    take(l->cq);
    pthread_mutex_unlock(&lock[i]);
  }
  pthread_join(t, 0);
}
