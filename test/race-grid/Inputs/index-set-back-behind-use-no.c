// A position in memory is used where it is at the end, but for one, and then set back.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
static unsigned at;
void run(struct link *l, int rounds) {
  if (rounds < 65 || rounds > 70)
    return;
  put(l, s.b, 64, 0);
  for (int i = 0; i < rounds; i++) {
    at++;
    if (at > 63) {
      s.a[at - 1] = 1;
      at = 0;
    }
  }
  take(l->cq);
}
