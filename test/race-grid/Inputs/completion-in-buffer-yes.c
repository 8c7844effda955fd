// A poll writes its completion into memory that the NIC still reads.
#define _GNU_SOURCE
#include "grid.h"
#include <stdlib.h>
static struct {
  struct ibv_wc w;
  char b[16];
} reg;
void run(struct link *l) {
  put(l, &reg, 64, 0);
  ibv_poll_cq(l->cq, 1, &reg.w);
  take(l->cq);
}
