// load-acked: a writer counts up in the memory of a keeper, by WRITEs and by atomics, and says how far it was
// acknowledged; at a random moment it is killed. Everything that it said arrives.
#include "test/load/Arguments.h"
#include "test/load/Crowding.h"
#include "test/load/Host.h"

#include <chrono>
#include <csignal>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>

namespace rdma::load {

using test::Address;
using test::Line;
using Clock = std::chrono::steady_clock;

namespace {

struct Memory {
  alignas(8) uint64_t Written = 0, Added = 0;
};

/// One request, and its completion.
void carryOut(const test::Device &D, ibv_qp *Qp, ibv_wr_opcode Opcode, const ibv_mr *Mr, uint64_t &At,
              uint64_t To, uint32_t Rkey) {
  ibv_sge Sge = {reinterpret_cast<uint64_t>(&At), 8, Mr->lkey};
  ibv_send_wr Wr = {}, *Bad;
  Wr.opcode = Opcode;
  Wr.send_flags = IBV_SEND_SIGNALED;
  Wr.sg_list = &Sge;
  Wr.num_sge = 1;
  if (Opcode == IBV_WR_RDMA_WRITE)
    Wr.wr.rdma = {To, Rkey};
  else
    Wr.wr.atomic = {To, 1, 0, Rkey};
  CHECK(ibv_post_send(Qp, &Wr, &Bad) == 0);
  ibv_wc Wc = {};
  while (ibv_poll_cq(D.Cq, 1, &Wc) == 0)
    sched_yield();
  CHECK(Wc.status == IBV_WC_SUCCESS);
}

/// Says each number to the parent when both requests of it are acknowledged. Never returns.
[[noreturn]] void runWriter(Line Keeper, Line Parent) {
  test::Device D;
  static uint64_t Next, Old;
  ibv_mr *Mr = D.offer(&Next, sizeof Next), *MrOld = D.offer(&Old, sizeof Old);
  ibv_qp *Qp = D.queuePair();
  Keeper.tell(test::addressOf(D, Qp, Mr));
  auto To = Keeper.hear<Address>();
  test::connect(Qp, To);
  Keeper.meet();
  for (;;) {
    ++Next;
    carryOut(D, Qp, IBV_WR_RDMA_WRITE, Mr, Next, To.At, To.Rkey);
    carryOut(D, Qp, IBV_WR_ATOMIC_FETCH_AND_ADD, MrOld, Old, To.At + offsetof(Memory, Added), To.Rkey);
    Parent.tell(Next);
  }
}

/// Hears how far the writer was, and waits until that is here.
[[noreturn]] void runKeeper(Line Writer, Line Parent) {
  test::Device D;
  static Memory Here;
  ibv_mr *Mr = D.offer(&Here, sizeof Here);
  ibv_qp *Qp = D.queuePair();
  Writer.tell(test::addressOf(D, Qp, Mr));
  test::connect(Qp, Writer.hear<Address>());
  Writer.meet();
  auto Said = Parent.hear<uint64_t>();
  auto behind = [Said](const uint64_t &At) { return __atomic_load_n(&At, __ATOMIC_ACQUIRE) < Said; };
  for (auto Since = Clock::now(); behind(Here.Written) || behind(Here.Added);) {
    if (isHang<Clock>(Since, std::chrono::seconds(60)))
      wrong(std::to_string(Said) + " were acknowledged, and here are " + std::to_string(Here.Written) +
            " writes and " + std::to_string(Here.Added) + " additions");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  exit(0);
}

/// A process that has none of the others' ends: they hear when one of them is gone.
template <typename Body> pid_t start(std::initializer_list<int> Others, Body &&Run) {
  pid_t Pid = fork();
  CHECK(Pid >= 0);
  if (Pid)
    return Pid;
  for (int Fd : Others)
    close(Fd);
  Run();
  _exit(0);
}

/// How many numbers were acknowledged.
uint64_t round(Random &Draw) {
  int Between[2], Pipe[2], Asked[2];
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, Between) == 0 && pipe(Pipe) == 0 && pipe(Asked) == 0);
  pid_t Keeper =
      start({Between[1], Pipe[0], Pipe[1], Asked[1]}, [&] { runKeeper(Line(Between[0]), Line(Asked[0])); });
  pid_t Writer =
      start({Between[0], Pipe[0], Asked[0], Asked[1]}, [&] { runWriter(Line(Between[1]), Line(Pipe[1])); });
  for (int Fd : {Between[0], Between[1], Pipe[1], Asked[0]})
    close(Fd);
  uint64_t Said = 0, Least = Draw.below(2000);
  auto Limit = Clock::now() + std::chrono::milliseconds(500);
  while (Said < Least && Clock::now() < Limit)
    if (read(Pipe[0], &Said, sizeof Said) != sizeof Said)
      break;
  CHECK(kill(Writer, SIGKILL) == 0);
  while (read(Pipe[0], &Said, sizeof Said) == sizeof Said) {
  }
  Line(Asked[1]).tell(Said);
  int Status = 0;
  CHECK(waitpid(Writer, &Status, 0) == Writer && WIFSIGNALED(Status));
  if (Said) { // else they have perhaps not met
    CHECK(waitpid(Keeper, &Status, 0) == Keeper);
    if (Status)
      wrong("something that was acknowledged is lost");
  } else {
    CHECK(kill(Keeper, SIGKILL) == 0 && waitpid(Keeper, &Status, 0) == Keeper);
  }
  close(Pipe[0]);
  close(Asked[1]);
  return Said;
}

} // namespace
} // namespace rdma::load

int main(int Count, char **Arguments) {
  using namespace rdma::load;
  uint64_t Kills = 20, Seed = 1, Total = 0;
  readArguments(Count, Arguments, "load-acked",
                {{"--kills=", Kills, 1, 1000000}, {"--seed=", Seed, 0, ~uint64_t(0)}});
  setenv("RDMA_FABRIC", ("acked-" + std::to_string(getpid())).c_str(), 1);
  Random Draw(mix(Seed));
  for (uint64_t I = 0; I < Kills; ++I)
    Total += round(Draw);
  printf("%lu killed, %lu acknowledged: none lost\n", Kills, Total);
  return 0;
}
