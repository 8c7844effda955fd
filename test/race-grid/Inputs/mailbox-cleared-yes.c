// The server clears a word and looks at another one, which may overtake that; the client does it the other way round.
#define OWN_SERVER
#include "grid.h"
volatile uint64_t inbox[2] = {1, 0};
uint64_t seen, left;
void serve(void) {
  while (inbox[0] == 0)
    ;
  inbox[0] = 0;
  seen = inbox[1];
}
static uint64_t one = 1;
void run(struct link *l) {
  put(l, &one, 8, 8);
  fetch(l, &left, 8, 0);
  take(l->cq);
  take(l->cq);
}
