// A remote address is stored to a place of which nothing is known: it may be that of another link's.
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
void run(struct link *l, struct link *m, uintptr_t where) {
  *(uint64_t *)where = l->far;
  put(m, &one, 8, 8);
  put(l, &one, 8, 0);
}
