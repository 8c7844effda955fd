#include "grid.h"
#include <unistd.h>
static struct {
  char b[64], a[64];
} s;
void run(struct link *l, int fd) {
  put(l, s.b, 64, 0);
  ssize_t got = 0;
  while (got < 64) {
    s.a[got] = 1;
    ssize_t k = read(fd, s.a, 1);
    if (k <= 0)
      abort();
    got += k;
  }
  take(l->cq);
}
