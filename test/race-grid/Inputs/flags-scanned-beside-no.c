// Beside the entry that it starts, main reads a number from standard input that no request hangs on.
#include "grid.h"
#include <pthread.h>
#include <stdio.h>
static uint64_t value, other;
static int flags, count;
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
  if (scanf("%d", &count) != 1)
    return 1;
  pthread_join(t, 0);
}
