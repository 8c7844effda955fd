/* Every message goes to all peers, whose connections a caller holds, out of one buffer. */
#include <infiniband/verbs.h>
#include <stdint.h>
#include <string.h>

enum { PEERS = 3 };

struct peer {
  struct ibv_qp *qp;
  struct ibv_cq *cq;
  struct ibv_mr *mr;
  uint64_t addr;
  uint32_t rkey;
};

static char outgoing[64], news[64];
static struct peer all[PEERS];

static int put(struct peer *to, const char *text) {
  struct ibv_sge sge = {.addr = (uintptr_t)text, .length = sizeof outgoing, .lkey = to->mr->lkey};
  struct ibv_send_wr wr = {.opcode = IBV_WR_RDMA_WRITE,
                           .send_flags = IBV_SEND_SIGNALED,
                           .sg_list = &sge,
                           .num_sge = 1,
                           .wr.rdma = {.remote_addr = to->addr, .rkey = to->rkey}};
  struct ibv_send_wr *bad;
  return ibv_post_send(to->qp, &wr, &bad);
}

static void put_everywhere(struct peer *peers, const char *text) {
  memcpy(outgoing, text, sizeof outgoing);
  for (int i = 0; i < PEERS; i++)
    put(&peers[i], outgoing);
}

static void tell(const char *text) {
  memcpy(news, text, strlen(text) + 1);
  for (int i = 0; i < PEERS; i++)
    put(&all[i], news);
}

void serve(const char *const *texts, int count);
void serve(const char *const *texts, int count) {
  for (int i = 0; i < count; i++)
    put_everywhere(all, texts[i]);
  for (int i = 0; i < count; i++)
    tell(texts[i]);
}
