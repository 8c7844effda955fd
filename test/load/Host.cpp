#include "test/load/Host.h"

#include <fcntl.h>
#include <poll.h>

namespace rdma::load {

static std::string &processName() {
  static std::string Name;
  return Name;
}

void setName(const std::string &Name) { processName() = Name; }

void wrong(const std::string &What) {
  fprintf(stderr, "load: %s: %s\n", processName().c_str(), What.c_str());
  _exit(1);
}

Queue::Queue(const test::Device &D, bool Announced) {
  if (Announced) {
    Channel = ibv_create_comp_channel(D.Context);
    CHECK(Channel && fcntl(Channel->fd, F_SETFL, O_NONBLOCK) == 0);
  }
  Cq = ibv_create_cq(D.Context, 8192, this, Channel, 0);
  CHECK(Cq);
}

Queue::~Queue() { CHECK(!ibv_destroy_cq(Cq) && (!Channel || !ibv_destroy_comp_channel(Channel))); }

void Queue::rest(int Milliseconds) {
  pollfd Poll = {Channel->fd, POLLIN, 0};
  if (poll(&Poll, 1, Milliseconds) != 1)
    return;
  ibv_cq *Of = nullptr;
  void *Context = nullptr;
  while (ibv_get_cq_event(Channel, &Of, &Context) == 0) {
    CHECK(Of == Cq && Context == this);
    ++Events;
    ibv_ack_cq_events(Cq, 1);
  }
}

ReceivePool::ReceivePool(const test::Device &D, uint32_t Count, bool Shared)
    : Memory(new char[size_t(Count) * SlotSize]), Region(D.offer(Memory.get(), size_t(Count) * SlotSize)),
      Posted(Count) {
  if (!Shared)
    return;
  ibv_srq_init_attr Init = {};
  Init.attr = {Count, 2, 0};
  Srq = ibv_create_srq(D.Domain, &Init);
  CHECK(Srq);
}

ReceivePool::~ReceivePool() { CHECK((!Srq || !ibv_destroy_srq(Srq)) && !ibv_dereg_mr(Region)); }

void ReceivePool::postAll() {
  Next = 0;
  for (uint32_t I = 0; I < size(); ++I)
    post(I);
}

void ReceivePool::post(uint64_t Index) {
  auto At = reinterpret_cast<uint64_t>(Memory.get() + Index * SlotSize);
  // Every other one in two parts.
  uint32_t First = Index % 2 ? 100 : SlotSize;
  ibv_sge Parts[2] = {{At, First, Region->lkey}, {At + First, SlotSize - First, Region->lkey}};
  ibv_recv_wr Wr = {}, *Bad;
  Wr.wr_id = Index | ReceiveBit;
  Wr.sg_list = Parts;
  Wr.num_sge = First == SlotSize ? 1 : 2;
  ++Waiting;
  if (Posted[Index].exchange(true))
    wrong("receive " + std::to_string(Index) + " is posted twice");
  int Error = Srq ? ibv_post_srq_recv(Srq, &Wr, &Bad) : ibv_post_recv(Qp, &Wr, &Bad);
  if (Error)
    wrong("a receive is refused: error " + std::to_string(Error));
}

const char *ReceivePool::take(const ibv_wc &Wc) {
  uint64_t Index = Wc.wr_id & ~ReceiveBit;
  if (Index >= size() || !Posted[Index].exchange(false))
    wrong("a receive completes that is not posted: " + std::to_string(Index));
  if (!Srq && Index != Next % size())
    wrong("receive " + std::to_string(Index) + " completes before " + std::to_string(Next % size()));
  if (!Srq)
    ++Next;
  --Waiting;
  return Memory.get() + Index * SlotSize;
}

Host::Host() : Counters(new Common), CountersRegion(Device.offer(Counters.get(), sizeof(Common))) {}

Host::~Host() {
  CHECK(!ibv_dereg_mr(CountersRegion) && !ibv_destroy_cq(Device.Cq) && !ibv_dealloc_pd(Device.Domain) &&
        !ibv_close_device(Device.Context));
}

} // namespace rdma::load
