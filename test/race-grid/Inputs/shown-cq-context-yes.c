// The context of a queue that set-up code hands out is the buffer.
// SET-UP: elsewhere
#include "grid.h"
static char buf[64], spare[64];
struct ibv_cq *get(struct ibv_context *device) { return ibv_create_cq(device, 4, buf, NULL, 0); }
void run(struct link *l) {
  char *page = (char *)l->cq->cq_context;
  put(l, buf, 64, 0);
  page[0] = 1;
  take(l->cq);
}
