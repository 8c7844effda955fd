// A loop that may end early goes past the end of an array, into the member that is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, const char *text) {
  put(l, s.b, 64, 0);
  for (int i = 0; i < 65; i++) {
    if (!text[i])
      break;
    s.a[i] = text[i];
  }
  take(l->cq);
}
