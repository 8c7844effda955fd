// A string is copied before the READ has delivered it.
#define _GNU_SOURCE
#include "grid.h"
#include <string.h>
static struct {
  char m[64];
} reg;
long n;
int k;
char *o;
void run(struct link *l) {
  fetch(l, &reg, 64, 0);
  o = strdup(reg.m);
  take(l->cq);
}
