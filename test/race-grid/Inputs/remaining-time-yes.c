// nanosleep leaves the remaining time in memory that the NIC still reads.
#define _GNU_SOURCE
#include "grid.h"
#include <time.h>
static struct {
  struct timespec s;
  char b[48];
} reg;
void run(struct link *l) {
  struct timespec w = {1, 2};
  put(l, &reg, 64, 0);
  nanosleep(&w, &reg.s);
  take(l->cq);
}
