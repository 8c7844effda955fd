// A text is copied up to one byte behind its member, which is the first of what is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, const char *text) {
  put(l, s.b, 64, 0);
  for (int i = 0; text[i] && i < 65; ++i)
    s.a[i] = text[i];
  take(l->cq);
}
