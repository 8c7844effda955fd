// A position in memory goes back one past the end of the array, at the member that is sent.
#include "grid.h"
static struct {
  char slot[64][64], last[64];
  int at;
} s;
void run(struct link *l, int rounds) {
  put(l, s.last, 64, 0);
  for (int i = 0; i < rounds; i++) {
    s.slot[s.at][0] = i;
    s.at = s.at == 64 ? 0 : s.at + 1;
  }
  take(l->cq);
}
