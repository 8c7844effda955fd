// Two pollers are waited for; that one could not be is told of only, and it may have the last completion to
// take.
#include "grid.h"
#include <pthread.h>
#include <stdio.h>
static char page[2][64];
static void *first(void *p) {
  struct link *l = p;
  take(l->cq);
  return 0;
}
static void *second(void *p) {
  struct link *l = p;
  take(l->cq);
  return 0;
}
void run(struct link *l) {
  pthread_t one, other;
  put(l, page[0], 64, 0);
  put(l, page[1], 64, 64);
  if (pthread_create(&one, 0, first, l) || pthread_create(&other, 0, second, l))
    abort();
  int failed = pthread_join(one, 0);
  if (failed) {
    fprintf(stderr, "not joined: %d\n", failed);
  }
  if (pthread_join(other, 0))
    return;
  page[1][0] = 1;
}
