// Two entries are given one queue pair by two names; only one waits for completions.
#include "grid.h"
static uint64_t page, other, seen;
void second(struct link *k) { fetch(k, &other, 8, 0); }
void run(struct link *l) {
  fetch(l, &page, 8, 0);
  take(l->cq);
  seen = page;
}
