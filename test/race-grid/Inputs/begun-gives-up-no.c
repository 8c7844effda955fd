// The thread gives up waiting for the flag, and then does nothing.
#include "grid.h"
#include <pthread.h>
#include <stdatomic.h>
static char buf[64];
static atomic_int go;
static void *work(void *p) {
  for (int i = 0; i < 1000; ++i)
    if (atomic_load(&go)) {
      buf[0] = 2;
      break;
    }
  return p;
}
void run(struct link *l) {
  pthread_t t;
  put(l, buf, 64, 0);
  if (pthread_create(&t, NULL, work, NULL))
    abort();
  take(l->cq);
  atomic_store(&go, 1);
  pthread_join(t, NULL);
}
