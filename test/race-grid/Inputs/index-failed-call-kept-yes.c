// What a failed call returns is kept in a member: its -1 leads to the member that is sent.
#include "grid.h"
#include <unistd.h>
static struct {
  char b[64], a[64];
  ssize_t got;
} s;
void run(struct link *l, int fd) {
  put(l, s.b, 64, 0);
  s.got = read(fd, s.a, 63);
  if (s.got != 0)
    s.a[s.got] = 0;
  take(l->cq);
}
