// Another thread finds the completion of the request, and writes what it has sent.
#include "grid.h"
#include <pthread.h>
static struct link *first, *second;
static uint64_t page, flag = 1;
static void *poller(void *given) {
  take(second->cq);
  flag = 5;
  return given;
}
void run(struct link *a, struct link *b) {
  pthread_t thread;
  first = a;
  second = b;
  pthread_create(&thread, 0, poller, 0);
  put(first, &page, 8, 0);
  put(second, &flag, 8, 8);
}
