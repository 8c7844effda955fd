// Each file has a static of one name; the topology means the server's, whatever the order of the files.
// REMARK: note_address
#define OWN_SERVER
#include "grid.h"
static char inbox[64];
static uint64_t old;
extern int note_address(const char *);
void run(struct link *l) {
  note_address(inbox);
  struct ibv_sge sge = {.addr = (uintptr_t)&old, .length = 8};
  struct ibv_send_wr wr, *bad;
  memset(&wr, 0, sizeof wr);
  wr.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.wr.atomic.remote_addr = l->far;
  wr.wr.atomic.compare_add = 1;
  if (ibv_post_send(l->qp, &wr, &bad))
    abort();
  take(l->cq);
}
