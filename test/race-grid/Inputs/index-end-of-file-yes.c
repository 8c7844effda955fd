// A character that is EOF at the end leads before the table.
#include "grid.h"
#include <stdio.h>
static struct {
  char b[64], a[256];
} s;
void run(struct link *l, FILE *f) {
  put(l, s.b, 64, 0);
  int c = fgetc(f);
  s.a[c]++;
  take(l->cq);
}
