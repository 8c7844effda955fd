// A line on standard error while a READ delivers into what the entry was given: the stream is not that.
#include "grid.h"
#include <stdio.h>
struct account {
  uint64_t version;
  int64_t balance;
};
void run(struct link *l, struct account *a) {
  fetch(l, a, sizeof *a, 0);
  fprintf(stderr, "asked for an account\n");
  take(l->cq);
  if (a->version)
    a->balance++;
}
