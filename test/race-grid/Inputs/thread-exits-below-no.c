// pthread_exit in the thread's own function.
#include "grid.h"
#include <pthread.h>
static struct link *first;
static void *work(void *p) {
  char page[64] = {1};
  put(first, page, 64, 0);
  take(first->cq);
  pthread_exit(p);
}
void run(struct link *l) {
  pthread_t t;
  first = l;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, 0);
}
