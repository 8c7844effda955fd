// Two loops lead past the end of an array, into the member that is sent.
#include "grid.h"
static struct {
  char a[6400], b[64];
} s;
void run(struct link *l) {
  put(l, s.b, 64, 0);
  for (int i = 0; i < 80; i++)
    for (int j = 0; j <= 80; j++)
      s.a[i * 80 + j] = 1;
  take(l->cq);
}
