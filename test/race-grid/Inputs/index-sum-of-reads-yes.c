// A loop of reads that adds up, errors too.
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
    got += read(fd, s.a, 1);
  }
  take(l->cq);
}
