// A thread is joined by another one than its starter, and the page is written that the NIC may still read.
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
  page = 7;
  return given;
}
void run(struct link *l) {
  pthread_t second;
  shared = l;
  pthread_create(&first, 0, role, 0);
  pthread_create(&second, 0, waiter, 0);
  pthread_join(second, 0);
}
