// A window over a ring that is allocated here and kept in a struct; it has room for one message too many.
#include "grid.h"
enum { depth = 32, message = 4096 };
struct client {
  struct link *l;
  char *ring;
  unsigned outstanding;
  unsigned long sent;
};
static void drain(struct client *cl, unsigned limit) {
  struct ibv_wc wc[16];
  while (cl->outstanding >= limit) {
    int n = ibv_poll_cq(cl->l->cq, 16, wc);
    if (n < 0)
      abort();
    cl->outstanding -= n;
  }
}
void run(struct link *l, int total) {
  struct client here = {l}, *cl = &here;
  cl->ring = malloc(depth * message);
  if (!cl->ring)
    return;
  for (int i = 0; i < total; i++) {
    drain(cl, depth + 1);
    char *slot = cl->ring + (cl->sent % depth) * message;
    memset(slot, i, message);
    put(l, slot, message, 0);
    cl->outstanding++;
    cl->sent++;
  }
  drain(cl, 1);
}
