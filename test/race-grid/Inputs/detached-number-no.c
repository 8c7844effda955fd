// A thread that begins as others do, though its attributes have been set up, is over where it has been
// joined.
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
  pthread_attr_setdetachstate(&how, PTHREAD_CREATE_JOINABLE);
  pthread_create(&other, &how, poller, l);
  pthread_join(other, 0);
  page[0] = 1;
}
