// What is sent is filled; both are members of a static object, which are exchanged.
#include "grid.h"
static char x[64], y[64];
static struct {
  char *front, *back;
} s = {x, y};
void run(struct link *l, int n) {
  for (int i = 0; i < n; i++) {
    put(l, s.front, 64, 0);
    memset(s.front, i, 64);
    take(l->cq);
    char *t = s.front;
    s.front = s.back;
    s.back = t;
  }
}
