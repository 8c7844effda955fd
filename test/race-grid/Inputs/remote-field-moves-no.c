// A remote address stays as it is in a loop: the word goes where its offset says.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[64], outbox[64];
uint64_t seen;
static uint64_t one = 1;
void serve(void) {
  while (inbox[0] == 0)
    ;
  seen = inbox[18];
}
void run(struct link *l, struct link *m, int n) {
  struct link flag = *l;
  flag.qp = m->qp;
  flag.cq = m->cq;
  for (int i = 0; i < n; i++) {
    put(l, &one, 8, 128);
  }
  put(&flag, &one, 8, 0);
}
