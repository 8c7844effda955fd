// Another thread finds the completion of this one's request, and changes what an earlier request may still send.
#include "grid.h"
#include <pthread.h>
static struct link *first, *second;
static uint64_t page, other, flag = 1;
static void *beside(void *given) {
  take(second->cq);
  page = 5;
  return given;
}
void run(struct link *a, struct link *b) {
  pthread_t t;
  first = a;
  second = b;
  pthread_create(&t, 0, beside, 0);
  put(first, &page, 8, 0);
  put(second, &flag, 8, 8);
}
