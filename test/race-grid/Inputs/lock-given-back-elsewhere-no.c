// One lock guards a queue of two threads; between two rounds one of two locks is taken for a while.
#include "sharers.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
volatile int chosen;
static void use(struct link *l, int id) {
  for (int i = 0; i < 100; i++) {
    if (chosen) {
      pthread_mutex_lock(&n);
      pthread_mutex_unlock(&n);
    } else {
      pthread_mutex_lock(&m);
      pthread_mutex_unlock(&m);
    }
    pthread_mutex_lock(&m);
    fetch(l, &page[id], 8, 8 * id);
    take(l->cq);
    page[id]++;
    pthread_mutex_unlock(&m);
  }
}
void run(struct link *l) {
  pthread_t sharers[2];
  start(sharers, l);
  finish(sharers);
}
