// The low half of a remote address is stored to: where the word goes is not known.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[64], outbox[64];
uint64_t seen;
static uint64_t one = 1;
void serve(void) {
  while (inbox[0] == 0)
    ;
  seen = inbox[1];
}
void run(struct link *l, struct link *m, uint32_t half) {
  *(uint32_t *)&m->far = half;
  put(m, &one, 8, 8);
  put(l, &one, 8, 0);
}
