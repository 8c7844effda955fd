// The source of a WRITE changes while the list that it heads is under way.
#include "messages.h"
char data[64], done, table[64], note[8], answer[8], copy;
void run(void) {
  struct end e;
  open_end(&e);
  meet(e.qp, &far);
  struct ibv_sge s1 = {(uintptr_t)data, 64, 0}, s2 = {(uintptr_t)&done, 1, 0};
  struct ibv_send_wr w1, w2, *bad;
  memset(&w1, 0, sizeof w1);
  memset(&w2, 0, sizeof w2);
  w1.sg_list = &s1;
  w1.num_sge = 1;
  w1.opcode = IBV_WR_RDMA_WRITE;
  w1.wr.rdma.remote_addr = far.at;
  w2.sg_list = &s2;
  w2.num_sge = 1;
  w2.opcode = IBV_WR_SEND;
  w2.send_flags = IBV_SEND_SIGNALED | IBV_SEND_INLINE;
  w1.next = &w2;
  if (ibv_post_send(e.qp, &w1, &bad))
    abort();
  data[0] = 2;
}
void serve(void) {
  struct end e;
  open_end(&e);
  expect(&e, note, 8);
  meet(e.qp, &far);
  take(e.received);
  copy = table[0] + note[0];
}
