// Each thread of a loop is joined before the next starts, and reads into a page of its own.
#include "grid.h"
#include <pthread.h>
static struct link *shared;
static void *role(void *given) {
  uint64_t *page = malloc(8);
  *page = (uintptr_t)given;
  fetch(shared, page, 8, 0);
  return 0;
}
void run(struct link *l, long n) {
  shared = l;
  for (long i = 0; i < n; i++) {
    pthread_t thread;
    pthread_create(&thread, 0, role, (void *)i);
    pthread_join(thread, 0);
  }
}
