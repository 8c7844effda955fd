// An index that is given is tested; the member behind the array is sent.
#include "grid.h"
static struct {
  char marks[64], sent[64];
} s;
void run(struct link *l, unsigned i) {
  if (i >= sizeof s.marks)
    return;
  put(l, s.sent, 64, 0);
  s.marks[i] = 1;
  take(l->cq);
}
