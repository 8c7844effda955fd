// A function that is not here is given the address of the pointer.
// REMARK: next_buffer
#include "grid.h"
static char one[64], other[64];
extern void next_buffer(char **p);
void run(struct link *l) {
  char *p = one;
  next_buffer(&p);
  ibv_reg_mr(0, other, sizeof other, IBV_ACCESS_LOCAL_WRITE);
  put(l, p, 64, 0);
  take(l->cq);
  other[0] = 1;
}
