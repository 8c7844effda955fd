// How many of 64 bytes are odd is an index of an array of 64; the member behind it is sent.
#include "grid.h"
static struct {
  char a[64], b[64];
} s;
void run(struct link *l, const unsigned char *v) {
  put(l, s.b, 64, 0);
  unsigned n = 0;
  for (int i = 0; i < 64; i++)
    if (v[i] & 1)
      n++;
  s.a[n] = 1;
  take(l->cq);
}
