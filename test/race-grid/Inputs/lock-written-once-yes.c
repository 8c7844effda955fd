// The writer asks for the lock that it has, is refused, and gives it back before it uses what the lock keeps.
#include "grid.h"
#include <pthread.h>
static char page[64];
static int posted;
static pthread_rwlock_t m = PTHREAD_RWLOCK_INITIALIZER;
static void *writer(void *p) {
  pthread_rwlock_wrlock(&m);
  for (int i = 0; i < 2; ++i) {
    pthread_rwlock_wrlock(&m);
    if (i == 0)
      pthread_rwlock_unlock(&m);
  }
  if (__atomic_load_n(&posted, __ATOMIC_ACQUIRE))
    page[0] = 1;
  pthread_rwlock_unlock(&m);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  if (pthread_create(&t, 0, writer, 0))
    abort();
  pthread_rwlock_wrlock(&m);
  put(l, page, 64, 0);
  __atomic_store_n(&posted, 1, __ATOMIC_RELEASE);
  take(l->cq);
  pthread_rwlock_unlock(&m);
  pthread_join(t, 0);
}
