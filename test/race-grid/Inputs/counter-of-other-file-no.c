// Another file may set the counter before run begins: then it tells of a completion too early.
// SET-UP: elsewhere
#include "grid.h"
#include <pthread.h>
#include <stdatomic.h>
static char page[64];
static _Atomic int done;
static void *poll_all(void *given) {
  struct link *l = given;
  take(l->cq);
  atomic_fetch_add(&done, 1);
  return 0;
}
void run(struct link *l) {
  pthread_t poller;
  put(l, page, 64, 0);
  if (pthread_create(&poller, 0, poll_all, l))
    abort();
  while (!atomic_load(&done))
    ;
  page[0] = 1;
  pthread_join(poller, 0);
}
