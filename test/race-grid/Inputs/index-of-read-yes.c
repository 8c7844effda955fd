// What read() returns is tested from above only: -1 leads before the array.
#include "grid.h"
#include <unistd.h>
static struct {
  char b[64], a[64];
} s;
void run(struct link *l, int fd) {
  put(l, s.b, 64, 0);
  ssize_t k = read(fd, s.a, 63);
  if (k < 64)
    s.a[k] = 0;
  take(l->cq);
}
