/* Which slot of the ring is next, a helper says; the functions that fill it and post from it do not know. */
#include "request.h"

enum { SLOTS = 16, SIGNAL_EVERY = 4 };

struct record {
  uint64_t sequence, body[6];
};

struct outbox {
  uint64_t posted;
  struct record slots[SLOTS];
};

static struct record *next_slot(struct outbox *box) { return &box->slots[box->posted % SLOTS]; }

static void fill(struct record *r, uint64_t sequence) {
  r->sequence = sequence;
  for (int i = 0; i < 6; i++)
    r->body[i] = sequence + i;
}

int ship(struct ibv_qp *qp, struct ibv_cq *cq, uint32_t lkey, int count, uint64_t remote, uint32_t rkey) {
  static struct outbox box;
  (void)cq;
  for (int i = 0; i < count; i++) {
    struct record *r = next_slot(&box);
    fill(r, i);
    if (post(qp, IBV_WR_RDMA_WRITE, r, sizeof *r, lkey, remote + sizeof *r * i, rkey))
      return -1;
    box.posted++;
  }
  return 0;
}
