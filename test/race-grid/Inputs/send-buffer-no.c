// REMARK: a SEND is analysed on this side only
// A SEND reads its buffer until it has completed.
#include "grid.h"
static char buf[64];
void run(struct link *l) {
  submit(l, IBV_WR_SEND, buf, 64, 0, IBV_SEND_SIGNALED);
  take(l->cq);
  buf[0] = 1;
}
