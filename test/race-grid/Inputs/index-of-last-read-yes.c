// The last byte that was read: nothing may have been.
#include "grid.h"
#include <unistd.h>
static struct {
  char b[64], a[64];
} s;
void run(struct link *l, int fd) {
  put(l, s.b, 64, 0);
  ssize_t k = read(fd, s.a, 63);
  if (k < 0)
    abort();
  s.a[k - 1] = 0;
  take(l->cq);
}
