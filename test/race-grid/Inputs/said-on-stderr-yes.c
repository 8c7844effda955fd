// A line on standard error shows what a READ delivers before it has.
#include "grid.h"
#include <stdio.h>
struct account {
  uint64_t version;
  int64_t balance;
};
void run(struct link *l, struct account *a) {
  fetch(l, a, sizeof *a, 0);
  fprintf(stderr, "%s", (const char *)a);
  take(l->cq);
  if (a->version)
    a->balance++;
}
