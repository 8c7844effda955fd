// Another thread sets the flag that the thread waits for, too.
#include "grid.h"
#include <pthread.h>
#include <stdatomic.h>
static char buf[64];
static atomic_int go;
static atomic_int other;
static void *set(void *p) {
  atomic_store(&other, atomic_exchange(&go, 1));
  return p;
}
static void *work(void *p) {
  while (!atomic_load(&go))
    ;
  buf[0] = 2;
  return p;
}
void run(struct link *l) {
  pthread_t t, u;
  put(l, buf, 64, 0);
  if (pthread_create(&t, NULL, work, NULL))
    abort();
  if (pthread_create(&u, NULL, set, NULL))
    abort();
  take(l->cq);
  atomic_store(&go, 1);
  pthread_join(t, NULL);
  pthread_join(u, NULL);
}
