// A thread that main starts, and that the topology does not name, reads what the READ fetches.
// REMARK: which no entry starts; it is not analysed
#include "grid.h"
#include <pthread.h>
static struct news {
  uint64_t text;
  volatile uint64_t ready;
} news;
static void *watch(void *given) {
  struct news *n = given;
  while (!n->ready)
    ;
  return n->text == 7 ? given : 0;
}
void run(struct link *l) {
  fetch(l, &news.text, 8, 0);
  take(l->cq);
  news.ready = 1;
}
int main(void) {
  pthread_t thread;
  struct link l;
  memset(&l, 0, sizeof l);
  pthread_create(&thread, 0, watch, &news);
  run(&l);
  return 0;
}
