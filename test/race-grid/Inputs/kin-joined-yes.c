// Two handles that the caller gave may be one: then the thread that is waited for is the second.
#include "grid.h"
#include <pthread.h>
static char page[64];
static int posted;
static void *poster(void *p) {
  struct link *l = (struct link *)p;
  put(l, page, 64, 0);
  __atomic_store_n(&posted, 1, __ATOMIC_RELEASE);
  take(l->cq);
  return 0;
}
static void *other(void *p) {
  while (!__atomic_load_n(&posted, __ATOMIC_ACQUIRE))
    ;
  return p;
}
void run(struct link *l, pthread_t *first, pthread_t *second) {
  if (pthread_create(first, 0, poster, l) || pthread_create(second, 0, other, 0))
    abort();
  pthread_join(*first, 0);
  page[0] = 1;
}
