// Whoever could not wait for a thread does not know that it is over.
#include "grid.h"
#include <pthread.h>
#include <stdio.h>
static char page[64];
static int posted;
static void *sender(void *p) {
  struct link *l = p;
  put(l, page, 64, 0);
  __atomic_store_n(&posted, 1, __ATOMIC_RELEASE);
  take(l->cq);
  return 0;
}
void run(struct link *l) {
  pthread_t t;
  if (pthread_create(&t, 0, sender, l))
    abort();
  if (pthread_join(t, 0)) {
    fprintf(stderr, "not joined\n");
    if (!__atomic_load_n(&posted, __ATOMIC_ACQUIRE))
      return;
  }
  page[0] = 1;
}
