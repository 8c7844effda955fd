// The request begins at the element that recv() returned, -1 too.
#include "grid.h"
#include <sys/socket.h>
static struct {
  char b[64], a[64];
} s;
void run(struct link *l, int fd) {
  int k = recv(fd, s.a, 32, 0);
  if (k < 32)
    put(l, &s.a[k], 8, 64);
  s.b[63] = 1;
  take(l->cq);
}
