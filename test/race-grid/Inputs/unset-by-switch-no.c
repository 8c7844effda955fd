// How many completions to take is said for each of the kinds, and there are no others.
#include "grid.h"
enum kind { SMALL, LARGE, HUGE };
static char page[64];
static int completions(enum kind k) {
  int n;
  switch (k) {
  case SMALL:
    n = 1;
    break;
  case LARGE:
  case HUGE:
    n = 1;
    break;
  }
  return n;
}
void run(struct link *l, enum kind k) {
  put(l, page, sizeof page, 0);
  for (int n = completions(k); n > 0; n--)
    take(l->cq);
  page[0] = 0;
}
