// The last character of a line that may be empty, or fill more than its array.
#include "grid.h"
static struct {
  char b[64], a[64];
} s;
void run(struct link *l, const char *t) {
  strncpy(s.a, t, 63);
  put(l, s.b, 64, 0);
  size_t n = strlen(s.a);
  if (n && n < 64)
    s.a[n - 1] = 0;
  take(l->cq);
}
