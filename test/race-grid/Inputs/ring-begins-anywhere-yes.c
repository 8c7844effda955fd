// A position that is given is set back one past the end of the array, at the member that is sent.
#include "grid.h"
static struct {
  char slot[8][64], last[64];
} s;
void run(struct link *l, int rounds, int at) {
  put(l, s.last, 64, 0);
  for (int i = 0; i < rounds; i++) {
    s.slot[at][0] = i;
    at = at == 8 ? 0 : at + 1;
  }
  take(l->cq);
}
