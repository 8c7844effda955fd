// A 0 is put where a text ends, or at the end of the array; the member behind it is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, const char *t) {
  put(l, s.b, 64, 0);
  size_t n = strlen(t);
  if (n > 63)
    n = 63;
  s.a[n] = 0;
  take(l->cq);
}
