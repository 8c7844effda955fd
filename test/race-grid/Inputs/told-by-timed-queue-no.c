// A message through a POSIX queue, with a time limit, says that the WRITE is there; it is polled only.
#define OWN_SERVER
#include "grid.h"
#include <mqueue.h>
uint64_t inbox[64];
static uint64_t data = 7, got, pushed;
void serve(mqd_t queue) {
  char c[8];
  if (mq_timedreceive(queue, c, sizeof c, 0, 0) < 0)
    abort();
  got = inbox[0];
}
void run(struct link *l, mqd_t queue) {
  put(l, &data, 8, 0);
  take(l->cq);
  fetch(l, &pushed, 8, 0);
  take(l->cq);
  if (mq_timedsend(queue, "go", 2, 0, 0))
    abort();
}
