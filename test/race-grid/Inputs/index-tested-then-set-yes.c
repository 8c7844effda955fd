// A position that is given is tested, but set to another number before it is used: there may be the member that is sent.
#include "grid.h"
struct cursor {
  unsigned at;
};
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, struct cursor *c, unsigned n) {
  put(l, s.b, 64, 0);
  if (c->at < 64) {
    c->at = n;
    s.a[c->at] = 1;
  }
  take(l->cq);
}
