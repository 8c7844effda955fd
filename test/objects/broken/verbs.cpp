#include "verbs.h"

#include <cstdlib>

static void post(const way &To, ibv_send_wr &Wr, word &Local) {
  ibv_sge Part = {reinterpret_cast<std::uintptr_t>(&Local), sizeof(word), To.lkey};
  ibv_send_wr *Bad;
  Wr.sg_list = &Part;
  Wr.num_sge = 1;
  if (ibv_post_send(To.qp, &Wr, &Bad))
    abort();
}

static void move(const way &To, ibv_wr_opcode Opcode, word &Local, word Address, unsigned Flags) {
  ibv_send_wr Wr = {};
  Wr.opcode = Opcode;
  Wr.send_flags = Flags;
  Wr.wr.rdma.remote_addr = Address;
  Wr.wr.rdma.rkey = To.rkey;
  post(To, Wr, Local);
}

void put(const way &To, word Address, word &From, unsigned Flags) {
  move(To, IBV_WR_RDMA_WRITE, From, Address, Flags);
}

void get(const way &To, word &Into, word Address, unsigned Flags) {
  move(To, IBV_WR_RDMA_READ, Into, Address, Flags);
}

static void postAtomic(const way &To, ibv_wr_opcode Opcode, word &Into, word Address, word CompareAdd,
                       word Swap) {
  ibv_send_wr Wr = {};
  Wr.opcode = Opcode;
  Wr.send_flags = IBV_SEND_SIGNALED;
  Wr.wr.atomic.remote_addr = Address;
  Wr.wr.atomic.rkey = To.rkey;
  Wr.wr.atomic.compare_add = CompareAdd;
  Wr.wr.atomic.swap = Swap;
  post(To, Wr, Into);
}

void fetchAdd(const way &To, word &Into, word Address, word By) {
  postAtomic(To, IBV_WR_ATOMIC_FETCH_AND_ADD, Into, Address, By, 0);
}

void compareSwap(const way &To, word &Into, word Address, word Expected, word Desired) {
  postAtomic(To, IBV_WR_ATOMIC_CMP_AND_SWP, Into, Address, Expected, Desired);
}

void complete(const way &To) {
  ibv_wc Wc;
  int Count;
  while ((Count = ibv_poll_cq(To.cq, 1, &Wc)) == 0)
    ;
  if (Count < 0 || Wc.status != IBV_WC_SUCCESS)
    abort();
}
