// One lock guards a queue of two threads; who fails gives it back once more, while the other may hold it.
#include "sharers.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
extern int limit;
static int step(struct link *l, int id) {
  pthread_mutex_lock(&m);
  put(l, &page[id], 8, 8 * id);
  take(l->cq);
  pthread_mutex_unlock(&m);
  page[id]++;
  return page[id] > (uint64_t)limit;
}
static void use(struct link *l, int id) {
  for (int i = 0; i < 100; i++)
    if (step(l, id)) {
      pthread_mutex_unlock(&m);
      return;
    }
}
void run(struct link *l) {
  pthread_t sharers[2];
  start(sharers, l);
  finish(sharers);
}
