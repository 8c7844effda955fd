// One lock guards a queue of two threads; whoever comes first makes it, and both may: it then opens for both.
#include "grid.h"
#include <pthread.h>
static uint64_t page[2];
static pthread_mutex_t m;
static int made;
static void use(struct link *l, int id) {
  if (!made) {
    pthread_mutex_init(&m, NULL);
    made = 1;
  }
  pthread_mutex_lock(&m);
  put(l, &page[id], 8, 8 * id);
  take(l->cq);
  pthread_mutex_unlock(&m);
  page[id] = 1;
}
void run(struct link *l) { use(l, 0); }
void other(struct link *l) { use(l, 1); }
