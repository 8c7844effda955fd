// One byte less than there is room for is read, and a zero put behind them.
#include "grid.h"
#include <unistd.h>
static struct {
  char text[64], sent[64];
} s;
void run(struct link *l, int file) {
  put(l, s.sent, 64, 0);
  ssize_t n = read(file, s.text, sizeof s.text - 1);
  if (n < 0)
    abort();
  s.text[n] = 0;
  take(l->cq);
}
