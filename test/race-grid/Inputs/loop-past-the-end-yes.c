// A loop runs one past the end of an array, into the source behind it, before the poll.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l) {
  put(l, s.b, 64, 0);
  for (int i = 0; i <= 64; i++)
    s.a[i] = 0;
  take(l->cq);
}
