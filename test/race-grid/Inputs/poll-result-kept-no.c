// Another thread keeps what a poll has returned, and writes a page that nobody sends.
#include "grid.h"
#include <pthread.h>
static struct link *first, *second;
static uint64_t page, other, flag = 1;
static volatile int found;
static void *poller(void *given) {
  struct ibv_wc completions[16];
  found = ibv_poll_cq(second->cq, 16, completions);
  if (found)
    other = 5;
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
