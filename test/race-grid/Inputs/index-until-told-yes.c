// An array is filled until somebody says stop; the member behind it is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, volatile int *go) {
  put(l, s.b, 64, 0);
  int i = 0;
  while (*go)
    s.a[i++] = 1;
  take(l->cq);
}
