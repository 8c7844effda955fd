// What read() returns is not tested at all.
#include "grid.h"
#include <unistd.h>
static struct {
  char b[64], a[64];
} s;
void run(struct link *l, int fd) {
  put(l, s.b, 64, 0);
  s.a[read(fd, s.a, 63)] = 0;
  take(l->cq);
}
