// A file is opened by a name that the READ has not delivered yet.
#define _GNU_SOURCE
#include "grid.h"
#include <fcntl.h>
static struct {
  char m[64];
} reg;
long n;
int k;
char *o;
void run(struct link *l) {
  fetch(l, &reg, 64, 0);
  n = open(reg.m, 0);
  take(l->cq);
}
