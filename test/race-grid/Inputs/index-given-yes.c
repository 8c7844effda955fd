// An index that is given, and of which nothing is said, may lead to the member that is sent.
#include "grid.h"
static struct {
  char marks[64], sent[64];
} s;
void run(struct link *l, unsigned i) {
  put(l, s.sent, 64, 0);
  s.marks[i] = 1;
  take(l->cq);
}
