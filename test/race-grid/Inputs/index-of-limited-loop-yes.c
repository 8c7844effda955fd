// A test before a loop lets it go one past the end of an array, into the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, unsigned n) {
  put(l, s.b, 64, 0);
  if (n > 65)
    abort();
  for (unsigned i = 0; i < n; i++)
    s.a[i] = 1;
  take(l->cq);
}
