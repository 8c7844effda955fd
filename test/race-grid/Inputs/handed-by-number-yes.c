// A number in a struct may be the address of what another function has handed out before.
#include "grid.h"
struct window {
  uint64_t begin;
};
static uint64_t table[64];
uint64_t *the_table(void) { return table; }
uint64_t run(struct link *l, struct window *w) {
  fetch(l, (void *)w->begin, 8, 0);
  uint64_t third = table[3];
  take(l->cq);
  return third;
}
