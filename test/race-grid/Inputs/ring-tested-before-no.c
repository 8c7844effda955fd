// A position is set back before it is used, at the end of the array; the member behind it is sent.
#include "grid.h"
static struct {
  char slot[8][64], last[64];
} s;
void run(struct link *l, int rounds) {
  int at = 0;
  put(l, s.last, 64, 0);
  for (int i = 0; i < rounds; i++) {
    if (at == 8)
      at = 0;
    s.slot[at][0] = i;
    at++;
  }
  take(l->cq);
}
