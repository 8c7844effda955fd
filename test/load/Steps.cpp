// load-steps: a process is killed after each few instructions of an operation, and at each system call while
// it joins, registers memory and connects. Its peer, which also watches it step by step, finds everything as
// it should be: no lock is held, no receive is lost or completed twice, and the error comes; a receive that a
// datagram was on its way into is for the next one.
#include "test/load/Arguments.h"
#include "test/load/Host.h"

#include <array>
#include <chrono>
#include <csignal>
#include <poll.h>
#include <sched.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>

namespace rdma::load {

using test::Address;
using test::Line;
using Clock = std::chrono::steady_clock;

namespace {

enum class Kind : uint64_t { Write, Read, Add, Swap, Send, SendShared, Immediate, Refused, Join, Datagram };
constexpr const char *Names[] = {"write",          "read",       "add",       "swap",    "send",
                                 "send to shared", "write+imm.", "bad write", "joining", "datagram"};
constexpr uint32_t Receives = 4;
constexpr int LastPolls = 40;

struct Memory {
  alignas(8) uint64_t Counter = 0;
  char Bytes[1000] = {};
};

/// A work request on the memory of both sides.
int post(ibv_qp *Qp, Kind K, const ibv_mr *Mr, Memory &Mine, const Address &To) {
  static constexpr ibv_wr_opcode Opcodes[] = {
      IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WR_ATOMIC_CMP_AND_SWP,
      IBV_WR_SEND,       IBV_WR_SEND,      IBV_WR_RDMA_WRITE_WITH_IMM,  IBV_WR_RDMA_WRITE};
  ibv_send_wr Wr = {}, *Bad;
  bool Atomic = K == Kind::Add || K == Kind::Swap;
  ibv_sge Sge = {reinterpret_cast<uint64_t>(Atomic ? static_cast<void *>(&Mine.Counter) : Mine.Bytes),
                 Atomic ? 8u : 100u, Mr->lkey};
  Wr.opcode = Opcodes[static_cast<size_t>(K)];
  Wr.send_flags = IBV_SEND_SIGNALED;
  Wr.sg_list = &Sge;
  Wr.num_sge = 1;
  if (Atomic)
    Wr.wr.atomic = {To.At, K == Kind::Add ? 1u : 0u, 1, To.Rkey};
  else
    Wr.wr.rdma = {To.At + offsetof(Memory, Bytes), K == Kind::Refused ? 0 : To.Rkey};
  return ibv_post_send(Qp, &Wr, &Bad);
}

void modify(ibv_qp *Qp, ibv_qp_state To) {
  ibv_qp_attr A = {};
  A.qp_state = To;
  CHECK(!ibv_modify_qp(Qp, &A, IBV_QP_STATE));
}

void readyForDatagrams(ibv_qp *Qp) {
  ibv_qp_attr A = {};
  A.qp_state = IBV_QPS_INIT;
  A.port_num = 1;
  CHECK(!ibv_modify_qp(Qp, &A, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY));
  modify(Qp, IBV_QPS_RTR);
  A.qp_state = IBV_QPS_RTS;
  CHECK(!ibv_modify_qp(Qp, &A, IBV_QP_STATE | IBV_QP_SQ_PSN));
}

ibv_qp *createForDatagrams(const test::Device &D, ibv_cq *Cq) {
  ibv_qp_init_attr Init = {};
  Init.send_cq = Init.recv_cq = Cq;
  Init.qp_type = IBV_QPT_UD;
  Init.cap = {16, Receives, 1, 1, 0};
  ibv_qp *Qp = ibv_create_qp(D.Domain, &Init);
  CHECK(Qp);
  readyForDatagrams(Qp);
  return Qp;
}

ibv_ah *addressHandle(const test::Device &D, uint16_t Lid) {
  ibv_ah_attr Attr = {};
  Attr.port_num = 1;
  Attr.dlid = Lid;
  ibv_ah *Ah = ibv_create_ah(D.Domain, &Attr);
  CHECK(Ah);
  return Ah;
}

int postDatagram(ibv_qp *Qp, ibv_ah *To, uint32_t Number, const ibv_mr *Mr, Memory &Mine) {
  ibv_sge Sge = {reinterpret_cast<uint64_t>(Mine.Bytes), 20, Mr->lkey};
  ibv_send_wr Wr = {}, *Bad;
  Wr.opcode = IBV_WR_SEND;
  Wr.send_flags = IBV_SEND_SIGNALED;
  Wr.sg_list = &Sge;
  Wr.num_sge = 1;
  Wr.wr.ud = {To, Number, 0};
  return ibv_post_send(Qp, &Wr, &Bad);
}

/// Box: the queue pair that datagrams are for.
[[noreturn]] void runVictim(Kind K, Line Parent, uint32_t Box) {
  ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  if (K == Kind::Join)
    raise(SIGSTOP);
  test::Device D;
  static Memory Mine;
  ibv_mr *Mr = D.offer(&Mine, sizeof Mine);
  ibv_qp *Qp = D.queuePair();
  Parent.tell(test::addressOf(D, Qp, Mr));
  auto To = Parent.hear<Address>();
  test::connect(Qp, To);
  Parent.tell('!');
  Parent.hear<char>();
  // Once, so that what follows is the operation alone.
  CHECK(post(Qp, Kind::Read, Mr, Mine, To) == 0);
  ibv_wc Wc = {};
  while (ibv_poll_cq(D.Cq, 1, &Wc) == 0)
    sched_yield();
  CHECK(Wc.status == IBV_WC_SUCCESS);
  ibv_ah *Ah = addressHandle(D, To.Lid);
  if (K == Kind::Datagram)
    Qp = createForDatagrams(D, D.Cq);
  if (K != Kind::Join)
    raise(SIGSTOP);
  if (K == Kind::Datagram)
    CHECK(postDatagram(Qp, Ah, Box, Mr, Mine) == 0);
  else
    CHECK(post(Qp, K == Kind::Join ? Kind::Add : K, Mr, Mine, To) == 0);
  // Under the weak schedules a request takes its steps in later calls; not so many that the rounds take long.
  for (int Polls = 0; Polls < LastPolls && ibv_poll_cq(D.Cq, 1, &Wc) == 0;)
    ++Polls;
  raise(SIGSTOP);
  _exit(0);
}

/// The peer of the victims; lives through all of them.
class Survivor {
public:
  explicit Survivor(const char *Program) : Program(Program) {}
  ~Survivor() { CHECK(ibv_destroy_qp(Box) == 0); }
  Survivor(const Survivor &) = delete;
  Survivor &operator=(const Survivor &) = delete;
  /// Kills a victim after so many steps. False when its operation was over by then.
  bool round(Kind K, uint64_t Steps);

private:
  void spawn(Kind K);
  void waitForStop();
  bool step(Kind K, uint64_t Steps);
  void greet(Kind K);
  void pester();
  void kill();
  void connectLoop();
  ibv_qp *createQueuePair(bool Shared);
  void postReceive(ibv_qp *Qp, uint64_t Id);
  void fillBox();
  void checkBox();
  ibv_wc await(const char *What);
  void awaitOwn(const char *What);
  void checkLocks();
  void checkErrors(Kind K);
  void awaitLast(const ibv_qp *Of);
  uint32_t countShared();

  const char *Program;
  Host Self;
  Queue Cq{Self.Device, false}, BoxCq{Self.Device, false};
  ibv_qp *Box = createForDatagrams(Self.Device, BoxCq.Cq); ///< for the datagrams of all victims
  ibv_srq *Srq = nullptr;
  std::unique_ptr<Memory> Mine{new Memory};
  ibv_mr *Mr = nullptr;
  ibv_qp *Loop = nullptr, *Qp = nullptr;
  Address LoopAddress = {};
  pid_t Victim = -1;
  int Fd = -1;
  bool Greeted = false, Connected = false;
  Address There = {};
  uint16_t LastLid = 0;
  std::vector<ibv_wc> Early; ///< receives that completed before the error
  uint64_t BoxPosted = 0, BoxTaken = 0, Rounds = 0;
};

void Survivor::spawn(Kind K) {
  int Ends[2];
  CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, Ends) == 0);
  Victim = fork();
  if (Victim == 0) {
    close(Ends[0]);
    // A program of its own: nothing of this process is in it.
    execl(Program, Program, "victim", std::to_string(static_cast<uint64_t>(K)).c_str(),
          std::to_string(Ends[1]).c_str(), std::to_string(Box->qp_num).c_str(), nullptr);
    _exit(3);
  }
  close(Ends[1]);
  Fd = Ends[0];
  Greeted = Connected = false;
}

void Survivor::waitForStop() {
  int Status = 0;
  CHECK(waitpid(Victim, &Status, 0) == Victim);
  if (!WIFSTOPPED(Status))
    wrong("the victim has ended by itself");
}

/// What the victim waits to hear, when it has asked.
void Survivor::greet(Kind K) {
  pollfd Poll = {Fd, POLLIN, 0};
  if (Connected || poll(&Poll, 1, 0) != 1)
    return;
  if (!Greeted) {
    There = Line(Fd).hear<Address>();
    LastLid = There.Lid;
    test::connect(Qp, There);
    Line(Fd).tell(test::addressOf(Self.Device, Qp, Mr));
    Greeted = true;
    for (uint64_t I = 0; I < Receives; ++I)
      postReceive(Qp, I);
  } else {
    Line(Fd).meet();
    Connected = true;
  }
  (void)K;
}

/// Goes to the address of one that is in the middle of joining: it is not there yet, or is.
void Survivor::pester() {
  ibv_qp *Early = createQueuePair(false);
  test::connect(Early, {LastLid, 1u << 14 | 1, 0, 0});
  CHECK(post(Early, Kind::Write, Mr, *Mine, {LastLid, 0, 0, 0}) == 0);
  CHECK(ibv_destroy_qp(Early) == 0);
}

/// To the instruction, or for one that joins the system call, of that number.
bool Survivor::step(Kind K, uint64_t Steps) {
  bool Joins = K == Kind::Join;
  waitForStop();
  for (uint64_t I = 0; I < Steps; ++I) {
    CHECK(ptrace(Joins ? PTRACE_SYSCALL : PTRACE_SINGLESTEP, Victim, nullptr, nullptr) == 0);
    int Status = 0;
    while (waitpid(Victim, &Status, Joins ? WNOHANG : 0) == 0) {
      if (Joins)
        greet(K);
      sched_yield();
    }
    CHECK(WIFSTOPPED(Status));
    if (WSTOPSIG(Status) == SIGSTOP)
      return false;
  }
  return true;
}

void Survivor::kill() {
  CHECK(::kill(Victim, SIGKILL) == 0);
  int Status = 0;
  while (waitpid(Victim, &Status, 0) == Victim && !WIFSIGNALED(Status)) {
  }
  close(Fd);
}

ibv_qp *Survivor::createQueuePair(bool Shared) {
  ibv_qp_init_attr Init = {};
  Init.send_cq = Init.recv_cq = Cq.Cq;
  Init.srq = Shared ? Srq : nullptr;
  Init.qp_type = IBV_QPT_RC;
  Init.cap = {16, Receives, 1, 1, 0};
  ibv_qp *New = ibv_create_qp(Self.Device.Domain, &Init);
  CHECK(New);
  return New;
}

void Survivor::postReceive(ibv_qp *To, uint64_t Id) {
  ibv_sge Sge = {reinterpret_cast<uint64_t>(Mine->Bytes), 100, Mr->lkey};
  ibv_recv_wr Wr = {}, *Bad;
  Wr.wr_id = Id | ReceiveBit;
  Wr.sg_list = &Sge;
  Wr.num_sge = 1;
  CHECK((To->srq ? ibv_post_srq_recv(To->srq, &Wr, &Bad) : ibv_post_recv(To, &Wr, &Bad)) == 0);
}

ibv_wc Survivor::await(const char *What) {
  ibv_wc Wc = {};
  for (auto Limit = Clock::now() + std::chrono::seconds(20); ibv_poll_cq(Cq.Cq, 1, &Wc) == 0; sched_yield())
    if (Clock::now() > Limit)
      wrong(std::string("it waits in vain for ") + What);
  return Wc;
}

/// A request on the queue pair to itself; receives of the victim's may complete before it.
void Survivor::awaitOwn(const char *What) {
  ibv_wc Wc;
  while (isReceive(Wc = await(What)))
    Early.push_back(Wc);
  if (Wc.status != IBV_WC_SUCCESS)
    wrong(std::string(What) + " fails");
}

/// Whatever the victim may have held is free: remote atomics, completion queue, shared receive queue.
void Survivor::checkLocks() {
  Memory Result, Pushed;
  ibv_mr *ResultMr = Self.Device.offer(&Result, sizeof Result);
  ibv_mr *PushedMr = Self.Device.offer(&Pushed, sizeof Pushed);
  CHECK(post(Loop, Kind::Add, ResultMr, Result, LoopAddress) == 0);
  awaitOwn("an addition of its own");
  // One that is complete may still be on its way to memory: a READ behind it pushes it.
  CHECK(post(Loop, Kind::Read, PushedMr, Pushed, LoopAddress) == 0);
  awaitOwn("a READ behind it");
  CHECK(ibv_dereg_mr(ResultMr) == 0 && ibv_dereg_mr(PushedMr) == 0);
  if (Result.Counter > 1)
    wrong("the counter is at " + std::to_string(Result.Counter) + " after at most one addition");
  if (Mine->Counter != Result.Counter + 1)
    wrong("an addition of its own is lost");
}

/// The event that no shared receive will complete for the queue pair any more.
void Survivor::awaitLast(const ibv_qp *Of) {
  for (bool Seen = false; !Seen;) {
    ibv_async_event Event;
    CHECK(ibv_get_async_event(Self.Device.Context, &Event) == 0);
    Seen = Event.event_type == IBV_EVENT_QP_LAST_WQE_REACHED && Event.element.qp == Of;
    ibv_ack_async_event(&Event);
  }
}

/// What is left in the shared receive queue, by using it up.
uint32_t Survivor::countShared() {
  for (uint32_t Found = 0;; ++Found) {
    CHECK(post(Loop, Kind::Send, Mr, *Mine, LoopAddress) == 0);
    ibv_wc Wc = await("a message of its own");
    if (!isReceive(Wc) && Wc.status == IBV_WC_RNR_RETRY_EXC_ERR)
      return awaitLast(Loop), Found;
    ibv_wc Other = await("the other end of it");
    if (Wc.status != IBV_WC_SUCCESS || Other.status != IBV_WC_SUCCESS || isReceive(Wc) == isReceive(Other))
      wrong("a message of its own goes wrong");
  }
}

void Survivor::fillBox() {
  for (; BoxPosted - BoxTaken < Receives; ++BoxPosted)
    postReceive(Box, BoxPosted);
}

/// Each receive of the box takes a datagram, in order, with whatever the victim had begun to put there; or it
/// is flushed.
void Survivor::checkBox() {
  ibv_ah *Ah = addressHandle(Self.Device, LoopAddress.Lid);
  bool Flushes = ++Rounds % 4 == 0, Flushed = false;
  if (Flushes)
    modify(Box, IBV_QPS_ERR);
  for (auto Limit = Clock::now() + std::chrono::seconds(5); BoxTaken != BoxPosted;) {
    CHECK(Flushes || postDatagram(Box, Ah, Box->qp_num, Mr, *Mine) == 0);
    for (ibv_wc Wc; ibv_poll_cq(BoxCq.Cq, 1, &Wc) == 1; BoxTaken += isReceive(Wc)) {
      Flushed |= Flushes && Wc.status == IBV_WC_WR_FLUSH_ERR;
      if (Wc.status != (Flushed ? IBV_WC_WR_FLUSH_ERR : IBV_WC_SUCCESS) ||
          (isReceive(Wc) && (Wc.wr_id & ~ReceiveBit) != BoxTaken))
        wrong("receive " + std::to_string(BoxTaken) + " of a datagram completes out of turn, or fails");
    }
    if (Clock::now() > Limit)
      wrong(std::to_string(BoxPosted - BoxTaken) + " receives of datagrams are lost");
  }
  CHECK(ibv_destroy_ah(Ah) == 0);
  if (Flushes) {
    modify(Box, IBV_QPS_RESET);
    readyForDatagrams(Box);
  }
}

/// The error, and each receive once.
void Survivor::checkErrors(Kind K) {
  std::array<uint32_t, Receives> Seen = {};
  uint32_t Completed = 0;
  auto received = [&](const ibv_wc &Wc) {
    uint64_t Id = Wc.wr_id & ~ReceiveBit;
    if (Id >= Receives || Seen[Id]++ || (!Qp->srq && Id != Completed))
      wrong("receive " + std::to_string(Id) + " completes out of turn");
    if (Wc.status != IBV_WC_SUCCESS && Wc.status != IBV_WC_WR_FLUSH_ERR)
      wrong(std::string("a receive fails: ") + ibv_wc_status_str(Wc.status));
    ++Completed;
  };
  for (const ibv_wc &Wc : std::exchange(Early, {}))
    received(Wc);
  // A request may still succeed while the device has not noticed; a refused one may have brought the error
  // about.
  ibv_wc Wc;
  auto Limit = Clock::now() + std::chrono::seconds(5);
  do {
    CHECK(post(Qp, Kind::Write, Mr, *Mine, There) == 0);
    while (isReceive(Wc = await("the error")))
      received(Wc);
  } while (Wc.status == IBV_WC_SUCCESS && Clock::now() < Limit);
  if (Wc.status != IBV_WC_RETRY_EXC_ERR && !(K == Kind::Refused && Wc.status == IBV_WC_WR_FLUSH_ERR))
    wrong(std::string("a request to the dead gives ") + ibv_wc_status_str(Wc.status));
  if (!Qp->srq) {
    while (Completed < Receives)
      received(await("a receive to be flushed"));
    return;
  }
  awaitLast(Qp);
  while (ibv_poll_cq(Cq.Cq, 1, &Wc) == 1)
    received(Wc);
  uint32_t Left = countShared();
  if (Completed + Left != Receives)
    wrong(std::to_string(Completed) + " receives are complete and " + std::to_string(Left) + " left");
}

void Survivor::connectLoop() {
  Loop = createQueuePair(true);
  test::connect(Loop, test::addressOf(Self.Device, Loop, Mr), test::AllAccess, 0);
  LoopAddress = test::addressOf(Self.Device, Loop, Mr);
}

bool Survivor::round(Kind K, uint64_t Steps) {
  setName(std::string(Names[static_cast<size_t>(K)]) + ", step " + std::to_string(Steps));
  ibv_srq_init_attr Init = {};
  Init.attr = {Receives, 1, 0};
  Srq = ibv_create_srq(Self.Device.Domain, &Init);
  *Mine = {};
  Mr = Self.Device.offer(Mine.get(), sizeof(Memory));
  connectLoop();
  Qp = createQueuePair(K == Kind::SendShared);
  spawn(K);
  while (K != Kind::Join && !Connected)
    greet(K);
  fillBox();
  bool Within = step(K, Steps);
  if (K == Kind::Join && !Greeted && LastLid)
    pester();
  kill();
  checkLocks();
  checkBox();
  if (Greeted)
    checkErrors(K);
  CHECK(ibv_destroy_qp(Qp) == 0 && ibv_destroy_qp(Loop) == 0);
  auto Began = Clock::now();
  CHECK(ibv_dereg_mr(Mr) == 0 && ibv_destroy_srq(Srq) == 0);
  if (Clock::now() - Began > std::chrono::milliseconds(150))
    wrong("memory is given back late");
  return Within;
}

} // namespace
} // namespace rdma::load

int main(int Count, char **Arguments) {
  using namespace rdma::load;
  if (Count == 5 && !strcmp(Arguments[1], "victim"))
    runVictim(static_cast<Kind>(atoi(Arguments[2])), rdma::test::Line(atoi(Arguments[3])),
              static_cast<uint32_t>(strtoul(Arguments[4], nullptr, 10)));
  uint64_t Stride = 200, Only = 1000, Seed = 1;
  readArguments(
      Count, Arguments, "load-steps",
      {{"--stride=", Stride, 1, 100000}, {"--only=", Only, 0, 9}, {"--seed=", Seed, 0, ~uint64_t(0)}});
  setenv("RDMA_FABRIC", ("steps-" + std::to_string(getpid())).c_str(), 1);
  Random Draw(mix(Seed));
  Survivor S("/proc/self/exe");
  uint64_t Kills = 0;
  for (uint64_t K = 0; K < std::size(Names); ++K) {
    if (Only < std::size(Names) && K != Only)
      continue;
    // System calls are fewer than instructions.
    uint64_t Spread = static_cast<Kind>(K) == Kind::Join ? 1 + Stride / 20 : Stride;
    uint64_t Rounds = 0;
    for (uint64_t Step = Draw.below(static_cast<uint32_t>(Spread)); S.round(static_cast<Kind>(K), Step);
         Step += 1 + Draw.below(static_cast<uint32_t>(2 * Spread)))
      ++Rounds;
    if (!Rounds)
      wrong("its operation is over at once");
    Kills += Rounds;
  }
  printf("%lu killed between two steps; nothing held, lost or done twice\n", Kills);
  return 0;
}
