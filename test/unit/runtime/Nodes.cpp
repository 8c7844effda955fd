#include "Nodes.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace rdma::test {

namespace {

void enterFabric(const Schedule &S, pid_t Parent, int Place) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  alarm(120);
  static int Count = 0;
  setenv("RDMA_SCHEDULE", S.Ordered ? "ordered" : S.Weak ? "weak" : "strong", 1);
  if (S.Torn)
    setenv("RDMA_TORN", S.Torn, 1);
  setenv("RDMA_LID", std::to_string(Place).c_str(), 1);
  setenv("RDMA_SEED", std::to_string(S.Seed).c_str(), 1);
  setenv("RDMA_FABRIC", ("test-" + std::to_string(Parent) + "-" + std::to_string(Count)).c_str(), 1);
}

template <typename F> pid_t start(const Schedule &S, int Place, F Body) {
  pid_t Parent = getpid(), Child = fork();
  if (Child == 0) {
    enterFabric(S, Parent, Place);
    Body();
    exit(0);
  }
  return Child;
}

int statusOf(pid_t Child) {
  int Status = 0;
  waitpid(Child, &Status, 0);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 128 + WTERMSIG(Status);
}

} // namespace

std::pair<int, int> runRoles(Schedule S, const Role &One, const Role &Two) {
  int Ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Ends) == 0);
  pid_t First = start(S, 1, [&] { close(Ends[1]), One(Line(Ends[0])); });
  pid_t Second = start(S, 2, [&] { close(Ends[0]), Two(Line(Ends[1])); });
  close(Ends[0]);
  close(Ends[1]);
  int FirstStatus = statusOf(First);
  return {FirstStatus, statusOf(Second)};
}

int runRole(Schedule S, const std::function<void()> &Only) { return statusOf(start(S, 1, Only)); }

namespace {

bool endsIn(const Schedule &S, const std::function<bool()> &Seen) {
  int Status = runRole(S, [&] { _exit(Seen() ? 3 : 0); });
  EXPECT_TRUE(Status == 0 || Status == 3) << "seed " << S.Seed << " ended with " << Status;
  return Status == 3;
}

} // namespace

unsigned count(Schedule S, unsigned Seeds, const std::function<bool()> &Seen) {
  unsigned Found = 0;
  for (S.Seed = 1; S.Seed <= Seeds; ++S.Seed)
    Found += endsIn(S, Seen);
  return Found;
}

bool isSeen(Schedule S, const std::function<bool()> &Seen) {
  for (S.Seed = 1; S.Seed <= ManySeeds; ++S.Seed)
    if (endsIn(S, Seen))
      return true;
  return false;
}

Address meetPeer(const Line &L, const Device &D, ibv_qp *Qp, const ibv_mr *Mr, unsigned Access) {
  L.tell(addressOf(D, Qp, Mr));
  auto Peer = L.hear<Address>();
  connect(Qp, Peer, Access);
  L.meet();
  return Peer;
}

ibv_qp *loopback(const Device &D, uint32_t Depth) {
  ibv_qp *Qp = D.queuePair(Depth);
  connect(Qp, addressOf(D, Qp, nullptr));
  return Qp;
}

Work::Work(ibv_wr_opcode Opcode, const ibv_mr *Local, void *At, uint32_t Size, const Address &To,
           uint64_t Offset, unsigned Flags) {
  Sge = {reinterpret_cast<uint64_t>(At), Size, Local ? Local->lkey : 0};
  Wr.opcode = Opcode;
  Wr.send_flags = Flags;
  Wr.sg_list = &Sge;
  Wr.num_sge = 1;
  Wr.wr.rdma.remote_addr = To.At + Offset;
  Wr.wr.rdma.rkey = To.Rkey;
}

Work &Work::swap(uint64_t Expected, uint64_t New) {
  uint64_t At = Wr.wr.rdma.remote_addr;
  uint32_t Key = Wr.wr.rdma.rkey;
  Wr.wr.atomic = {At, Expected, New, Key};
  return *this;
}

Work &Work::add(uint64_t What) { return swap(What, 0); }

int Work::post(ibv_qp *Qp) {
  ibv_send_wr *Bad = nullptr;
  if (Wr.num_sge == 1)
    Wr.sg_list = &Sge; // a copy has its own
  return ibv_post_send(Qp, &Wr, &Bad);
}

ibv_wc awaitCompletion(ibv_cq *Cq) {
  ibv_wc Wc = {};
  int N;
  while ((N = ibv_poll_cq(Cq, 1, &Wc)) == 0) {
  }
  CHECK(N == 1);
  return Wc;
}

} // namespace rdma::test
