// Another thread is told of the second request's completion by the readiness of its channel, and writes what
// the first one may still send.
#include "grid.h"
#include <poll.h>
#include <pthread.h>
static struct link *first, *second;
static struct ibv_comp_channel *channel;
static uint64_t page, other, flag = 1;
static void *waiter(void *given) {
  struct pollfd ready = {channel->fd, POLLIN, 0};
  if (poll(&ready, 1, -1) < 0)
    abort();
  page = 5;
  return given;
}
void run(struct link *a, struct link *b, struct ibv_comp_channel *c) {
  pthread_t thread;
  first = a;
  second = b;
  channel = c;
  pthread_create(&thread, 0, waiter, 0);
  put(first, &page, 8, 0);
  put(second, &flag, 8, 8);
}
