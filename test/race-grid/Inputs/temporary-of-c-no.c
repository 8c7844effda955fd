// A structure with a name lives as long as its block.
#include "grid.h"
struct box {
  char b[64];
};
static struct box make(int v) {
  struct box x = {{0}};
  x.b[0] = (char)v;
  return x;
}
void run(struct link *l, int n) {
  struct box named = make(n);
  put(l, named.b, 64, 0);
  take(l->cq);
}
