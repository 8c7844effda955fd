// A 0 is put where a text ends, or at 64, behind the array; there is the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, const char *t) {
  put(l, s.b, 64, 0);
  size_t n = strlen(t);
  if (n > 64)
    n = 64;
  s.a[n] = 0;
  take(l->cq);
}
