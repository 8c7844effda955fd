// A loop that goes as far as the one around it comes to the end of an array; the member behind it is sent.
#include "grid.h"
static struct {
  char a[6400], b[64];
} s;
void run(struct link *l) {
  put(l, s.b, 64, 0);
  for (int i = 0; i < 6400; i++)
    for (int j = 0; j <= i; j++)
      s.a[j] = 1;
  take(l->cq);
}
