// Two entries are given one queue pair by two names; one of them posts.
#include "grid.h"
static uint64_t page, seen;
void second(struct link *k) { (void)k; }
void run(struct link *l) {
  fetch(l, &page, 8, 0);
  take(l->cq);
  seen = page;
}
