// Threads of a loop read one word and write the next, in three roles: no two of them show that a WRITE
// overtakes a READ.
#include "grid.h"
#include <pthread.h>
static struct link *first, *second, *third;
static uint64_t seen[3], one = 1;
static void step(struct link *l, uint64_t *to, uint64_t from, uint64_t next) {
  fetch(l, to, 8, from);
  put(l, &one, 8, next);
}
static void *role(void *given) {
  switch ((uintptr_t)given) {
  case 0:
    step(first, &seen[0], 0, 8);
    break;
  case 1:
    step(second, &seen[1], 8, 16);
    break;
  case 2:
    step(third, &seen[2], 16, 0);
    break;
  }
  return 0;
}
void run(struct link *a, struct link *b, struct link *c, long n) {
  first = a, second = b, third = c;
  for (long i = 0; i < n; i++) {
    pthread_t thread;
    pthread_create(&thread, 0, role, (void *)i);
  }
}
