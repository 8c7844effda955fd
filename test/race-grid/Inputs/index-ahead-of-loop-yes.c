// Text is copied with a byte more for each end of a line: 33 bytes may become 66; the member behind
// the array is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, const char *t) {
  put(l, s.b, 64, 0);
  int j = 0;
  for (int i = 0; i < 33; i++) {
    if (t[i] == 10)
      s.a[j++] = 13;
    s.a[j++] = t[i];
  }
  take(l->cq);
}
