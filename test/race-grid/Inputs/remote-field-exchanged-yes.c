// Two links are exchanged: the word goes to the inbox by one queue pair, its flag by the other.
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
static void exchange(struct link *l, struct link *m) {
  uint64_t far = l->far;
  l->far = m->far;
  m->far = far;
}
void run(struct link *l, struct link *m) {
  struct link first = *l;
  exchange(l, m);
  put(m, &one, 8, 8);
  put(&first, &one, 8, 0);
}
