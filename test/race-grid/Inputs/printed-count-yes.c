// printf stores how much it has printed where the NIC still reads.
#define _GNU_SOURCE
#include "grid.h"
#include <stdio.h>
static struct {
  int n;
  char m[60];
} reg;
void run(struct link *l) {
  put(l, &reg, 64, 0);
  printf("3%n", &reg.n);
  take(l->cq);
}
