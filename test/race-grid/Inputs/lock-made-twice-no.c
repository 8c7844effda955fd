// One lock guards a queue of two threads; it is there from the beginning.
#include "grid.h"
#include <pthread.h>
static uint64_t page[2];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void use(struct link *l, int id) {
  pthread_mutex_lock(&m);
  put(l, &page[id], 8, 8 * id);
  take(l->cq);
  pthread_mutex_unlock(&m);
  page[id] = 1;
}
void run(struct link *l) { use(l, 0); }
void other(struct link *l) { use(l, 1); }
