// A loop of the program's own copies over the buffer.
#include "grid.h"
static char buf[64];
static void copy(char *to, const char *from, unsigned n) {
  while (n--)
    *to++ = *from++;
}
void run(struct link *l, const char *from, unsigned n) {
  put(l, buf, 64, 0);
  take(l->cq);
  copy(buf, from, n);
}
