// Code outside the sources finds in a table what starts a thread, which writes the page while it is sent.
#include "grid.h"
#include <pthread.h>
static uint64_t page;
static volatile int sent;
void run(struct link *l, int n) {
  page = n;
  put(l, &page, 8, 0);
  sent = 1;
}
static void *writer(void *p) {
  while (!sent)
    ;
  page = 9;
  return p;
}
static int probe(int n) {
  pthread_t t;
  return pthread_create(&t, 0, writer, 0) + n;
}
struct driver {
  int (*probe)(int);
};
const struct driver driver = {probe};
