// A thread is joined by another one than its starter, which writes a page of its own.
#include "grid.h"
#include <pthread.h>
static struct link *shared;
static uint64_t page, other;
static pthread_t first;
static void *role(void *given) {
  put(shared, &page, 8, 0);
  return given;
}
static void *waiter(void *given) {
  pthread_join(first, 0);
  other = 7;
  return given;
}
void run(struct link *l) {
  pthread_t second;
  shared = l;
  pthread_create(&first, 0, role, 0);
  pthread_create(&second, 0, waiter, 0);
  pthread_join(second, 0);
}
