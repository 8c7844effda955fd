// Another thread is told of the request's completion by an event, and writes a page that nobody sends.
#include "grid.h"
#include <pthread.h>
static struct link *first, *second;
static struct ibv_comp_channel *channel;
static uint64_t page, other, flag = 1;
static void *waiter(void *given) {
  struct ibv_cq *queue;
  void *context;
  if (ibv_get_cq_event(channel, &queue, &context))
    abort();
  other = 5;
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
