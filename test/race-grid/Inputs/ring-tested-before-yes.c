// A position is set back before it is used, one past the end of the array, at the member that is sent.
#include "grid.h"
static struct {
  char slot[8][64], last[64];
} s;
void run(struct link *l, int rounds) {
  int at = 0;
  put(l, s.last, 64, 0);
  for (int i = 0; i < rounds; i++) {
    if (at == 9)
      at = 0;
    s.slot[at][0] = i;
    at++;
  }
  take(l->cq);
}
