// A mark and a text in each slot; a completion clears the mark of another slot.
#include "grid.h"
#include <stdio.h>
enum { slots = 4 };
struct slot {
  int busy;
  char text[60];
};
static struct slot slot[slots];
static void reap(struct link *l) {
  struct ibv_wc wc[slots];
  int n = ibv_poll_cq(l->cq, slots, wc);
  for (int i = 0; i < n; i++)
    slot[(wc[i].wr_id + 1) % slots].busy = 0;
}
static unsigned acquire(struct link *l) {
  for (;;) {
    for (unsigned i = 0; i < slots; i++)
      if (!slot[i].busy) {
        slot[i].busy = 1;
        return i;
      }
    reap(l);
  }
}
int main(int argc, char **argv) {
  static struct link here;
  struct link *l = &here;
  for (int i = 0; i < argc; i++) {
    unsigned s = acquire(l);
    snprintf(slot[s].text, sizeof slot[s].text, "record %d", i);
    struct ibv_sge sge;
    struct ibv_send_wr wr, *bad;
    fill(l, &wr, &sge, IBV_WR_RDMA_WRITE, slot[s].text, 60, 0, IBV_SEND_SIGNALED);
    wr.wr_id = s;
    if (ibv_post_send(l->qp, &wr, &bad))
      abort();
  }
}
