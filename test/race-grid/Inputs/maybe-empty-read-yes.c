// A READ of a length that may be zero may bring nothing into memory.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[2];
uint64_t seen;
void serve(void) {
  if (inbox[1])
    seen = inbox[0];
}
static uint64_t data = 1, flag = 1, back;
void run(struct link *a, struct link *b, unsigned n) {
  put(a, &data, 8, 0);
  take(a->cq);
  fetch(a, &back, n & 7, 0);
  take(a->cq);
  put(b, &flag, 8, 8);
  take(b->cq);
}
