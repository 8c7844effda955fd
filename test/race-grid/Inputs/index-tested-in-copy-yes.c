// An index out of a message, tested in the copy of it, may be that of the first byte of the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
static struct {
  unsigned kind, n;
} h;
void run(struct link *l, const char *message) {
  put(l, s.b, 64, 0);
  memcpy(&h, message, sizeof h);
  if (h.n > 64)
    return;
  s.a[h.n] = 1;
  take(l->cq);
}
