// Another thread looks where both links lead.
#define OWN_SERVER
#include "grid.h"
#include <pthread.h>
volatile uint64_t inbox[64], outbox[64];
uint64_t seen;
static uint64_t one = 1;
void serve(void) {
  while (inbox[0] == 0)
    ;
  seen = inbox[1];
}
static struct link *first, *second;
static int same;
static void *mover(void *p) {
  same = second->far == first->far;
  return p;
}
void run(struct link *l, struct link *m) {
  pthread_t t;
  first = l;
  second = m;
  pthread_create(&t, 0, mover, 0);
  pthread_join(t, 0);
  put(m, &one, 8, 8);
  put(l, &one, 8, 0);
}
