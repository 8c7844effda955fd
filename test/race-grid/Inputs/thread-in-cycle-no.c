// Threads started in a cycle that is entered in its middle: each reads one word and writes the other, behind
// the READ.
#include "grid.h"
#include <pthread.h>
static struct link *shared;
static uint64_t seen[2], one = 1;
static void *role(void *given) {
  uint64_t mine = (uintptr_t)given % 2 ? 8 : 0;
  fetch(shared, &seen[(uintptr_t)given % 2], 8, mine);
  submit(shared, IBV_WR_RDMA_WRITE, &one, 8, 8 - mine, IBV_SEND_SIGNALED | IBV_SEND_FENCE);
  return 0;
}
void run(struct link *l, long n) {
  pthread_t thread;
  shared = l;
  if (n % 2)
    goto middle;
top:
  n -= 3;
middle:
  pthread_create(&thread, 0, role, (void *)n);
  if (n > 5)
    goto top;
}
