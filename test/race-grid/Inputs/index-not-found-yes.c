// The program's own search returns -1 where nothing is found, and it is not asked for.
#include "grid.h"
static struct {
  char b[64], a[64];
} s;
static int keys[64];
static int find(int key) {
  for (int i = 0; i < 64; i++)
    if (keys[i] == key)
      return i;
  return -1;
}
void run(struct link *l, int key) {
  put(l, s.b, 64, 0);
  s.a[find(key)] = 1;
  take(l->cq);
}
