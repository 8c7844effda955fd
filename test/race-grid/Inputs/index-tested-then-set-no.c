// A position that is given is tested before it is used; the member behind the array is sent.
#include "grid.h"
struct cursor {
  unsigned at;
};
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, struct cursor *c) {
  put(l, s.b, 64, 0);
  if (c->at < 64) {
    s.a[c->at] = 1;
  }
  take(l->cq);
}
