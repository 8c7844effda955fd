// Up to sixteen requests, and all but one of them are waited for.
#include "grid.h"
int run(struct link *l, int n) {
  char *buf = malloc(4096);
  int out = 0;
  if (!buf)
    return -1;
  for (int i = 0; i < n && i < 16; i++) {
    buf[i * 64] = (char)i;
    put(l, buf + i * 64, 64, 64 * i);
    out++;
  }
  for (; out > 1; out--)
    take(l->cq);
  free(buf);
  return 0;
}
