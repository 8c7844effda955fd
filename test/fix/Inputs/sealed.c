/* The message goes to a region that may be written, not read; the flag behind it by a queue pair of its own. What
 * orders them would have to read back: to be refused. */
#include "fix.h"

#include <pthread.h>

static volatile uint64_t flag;  /* written last, for a reader that looks at it first */
static uint64_t number;

static int early;

/* The reader: whoever sees the flag takes the message for complete. */
void *look(void *unused) {
  for (uint64_t i = 0; i < MESSAGES; i++) {
    while (flag <= i)
      ;
    early += inbox[i].words[0] != i + 1;
  }
  return unused;
}

static int take_next(struct ibv_cq *cq, uint64_t id) {
  struct ibv_wc wc;
  while (ibv_poll_cq(cq, 1, &wc) == 0)
    ;
  return wc.status != IBV_WC_SUCCESS || wc.wr_id != id;
}

int run(void) {
  struct device dev;
  struct connection self, marks;
  open_device(&dev);
  struct ibv_mr *out = ibv_reg_mr(dev.pd, &outbox, sizeof outbox, OWN_ACCESS);
  struct ibv_mr *numbers = ibv_reg_mr(dev.pd, &number, sizeof number, OWN_ACCESS);
  struct ibv_mr *in = ibv_reg_mr(dev.pd, inbox, sizeof inbox, (int)(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
  struct ibv_mr *flags = ibv_reg_mr(dev.pd, (void *)&flag, sizeof flag, REMOTE_ACCESS);
  if (!out || !numbers || !in || !flags)
    die("ibv_reg_mr");
  connect_to_self(&self, &dev, in);
  connect_to_self(&marks, &dev, flags);
  int lost = 0;
  pthread_t reader;
  if (pthread_create(&reader, NULL, look, NULL))
    die("pthread_create");

  for (uint64_t i = 0; i < MESSAGES; i++) {
    struct ibv_sge sge = {.addr = (uintptr_t)&number, .length = sizeof number, .lkey = numbers->lkey};
    struct ibv_send_wr wr = {.wr_id = i, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED, .sg_list = &sge, .num_sge = 1};
    struct ibv_send_wr *bad;
    fill(&outbox, i + 1);
    number = i + 1;
    wr.wr.rdma.remote_addr = marks.remote_addr;
    wr.wr.rdma.rkey = marks.rkey;
    if (post_write(self.qp, &self, out, &outbox, i, IBV_SEND_SIGNALED))
      die("WRITE");
    lost += take_next(self.cq, i);
    if (ibv_post_send(marks.qp, &wr, &bad))
      die("WRITE");
    lost += take_next(marks.cq, i);
  }
  pthread_join(reader, NULL);
  close_connection(&self);
  close_connection(&marks);
  ibv_dereg_mr(out);
  ibv_dereg_mr(numbers);
  ibv_dereg_mr(in);
  ibv_dereg_mr(flags);
  close_device(&dev);
  if (lost)
    return LOST;
  printf("%s: %d flags came before their message\n", early ? "BAD" : "ok", early);
  return early ? EXIT_BAD_OUTCOME : 0;
}

int main(void) { return run(); }
