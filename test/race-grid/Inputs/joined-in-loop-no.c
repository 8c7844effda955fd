// Threads of a loop are joined in another, and a page is written that they do not send.
#include "grid.h"
#include <pthread.h>
static struct link *shared;
static uint64_t page, other;
static void *role(void *given) {
  put(shared, &page, 8, 0);
  return given;
}
void run(struct link *l, int n) {
  pthread_t threads[8];
  shared = l;
  for (int i = 0; i < n; i++)
    pthread_create(&threads[i], 0, role, 0);
  for (int i = 0; i < n; i++)
    pthread_join(threads[i], 0);
  other = n;
}
