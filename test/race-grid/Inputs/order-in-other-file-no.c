// What the arguments do stands in the other file.
#include "grid.h"
char buf[64];
int waited(struct link *l);
int stored(void);
static int sum(int a, int b) { return a + b; }
int run(struct link *l) {
  put(l, buf, 64, 0);
  int first = waited(l);
  return sum(first, stored());
}
