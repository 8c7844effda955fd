// A position in a struct is counted, and set back one past the end of the array, at the member that is sent.
#include "grid.h"
struct ring {
  char slot[64][64], last[64];
  unsigned at;
};
static char *next(struct ring *r) {
  char *slot = r->slot[r->at];
  if (++r->at > 64)
    r->at = 0;
  return slot;
}
void run(struct link *l, int rounds) {
  struct ring *r = calloc(1, sizeof *r);
  if (!r)
    return;
  put(l, r->last, 64, 0);
  for (int i = 0; i < rounds; i++)
    next(r)[0] = i;
  take(l->cq);
}
