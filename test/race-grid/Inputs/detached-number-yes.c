// Who joins a thread that has begun detached waits for nothing: the number may be joined all the same.
#include "grid.h"
#include <pthread.h>
static char page[64];
static void *poller(void *given) {
  struct link *l = given;
  take(l->cq);
  return 0;
}
void run(struct link *l) {
  pthread_t other;
  pthread_attr_t how;
  put(l, page, 64, 0);
  pthread_attr_init(&how);
  pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
  pthread_create(&other, &how, poller, l);
  pthread_join(other, 0);
  page[0] = 1;
}
