// An element is copied over another member of another element; what it points to is changed before the poll.
#include "grid.h"
struct cell {
  char *p;
  char *q;
  long pad[2];
};
struct pair {
  struct cell c[2];
};
static char x[64], y[64];
static struct pair A[8];
void run(struct link *l, unsigned i, unsigned j, unsigned k) {
  A[0].c[0].p = x;
  A[0].c[0].q = x;
  A[0].c[1].p = y;
  A[0].c[1].q = y;
  A[i & 7].c[0] = A[j & 7].c[1];
  put(l, y, 64, 0);
  *A[k & 7].c[0].p = 1;
  take(l->cq);
}
