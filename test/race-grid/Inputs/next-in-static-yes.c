// Which slot is next goes round among five, of which there are four, in a static object.
#include "grid.h"
static struct {
  char slots[4][64], last[64];
  int next;
  long sent;
} s;
void run(struct link *l, int n) {
  for (int i = 0; i < n; i++) {
    memset(s.slots[s.next], i, 64);
    put(l, s.slots[s.next], 64, 0);
    s.next = (s.next + 1) % 5;
    s.last[0]++;
    take(l->cq);
  }
}
