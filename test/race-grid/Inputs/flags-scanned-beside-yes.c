// Beside the entry that it starts, main reads the flags of a request from standard input: it may ask for a
// completion, and then the wait is for that one.
#include "grid.h"
#include <pthread.h>
#include <stdio.h>
static uint64_t value, other;
static int flags;
void run(struct link *l) {
  flags = 0;
  submit(l, IBV_WR_RDMA_WRITE, &other, 8, 0, flags);
  put(l, &value, 8, 0);
  take(l->cq);
  value = 2;
}
static void *begin(void *l) {
  run(l);
  return 0;
}
int main(void) {
  static struct link here;
  pthread_t t;
  pthread_create(&t, 0, begin, &here);
  if (scanf("%d", &flags) != 1)
    return 1;
  pthread_join(t, 0);
}
