// The machine of SYNC App. D.1: programs over store buffers and NICs, one step at a time.
//
// Models: RdmaTso as in the paper; RdmaSc, where CPU writes reach memory and operations reach the NIC at
// once; Sc, where every sub-event happens at once and in program order, each remote atomic indivisible.
#pragma once

#include "analyzer/explorer/State.h"

namespace rdma::explorer {

struct Transition {
  enum class Kind : std::uint8_t {
    Cpu,   ///< a thread's next step; Choice: which way to go on, or which queue pair to poll
    Flush, ///< the oldest entry of a thread's store buffer leaves it
    Nic    ///< a step of a queue pair
  } What;
  unsigned Index; ///< thread or queue pair
  unsigned Choice = 0;
  nic::Step Step = {};
};

class Machine {
public:
  /// InFlight: how many entries may be on the way for one thread that loops before it has to wait; others
  /// post at most as much as they have statements.
  Machine(const CompiledProgram &P, Model M, unsigned InFlight);

  State initial(bool FollowOrder) const;
  /// Every thread has finished and every queue and buffer is empty.
  bool finished(const State &S) const;
  std::vector<Transition> enabled(const State &S) const;
  void apply(State &S, const Transition &T) const;

  const CompiledProgram &program() const { return P; }
  Model model() const { return M; }
  /// What a step of a queue pair works on.
  const Request &request(const State &S, const Transition &T) const;
  const CompiledStatement *current(const State &S, unsigned Thread) const;
  /// The thread stands where several statements may come next.
  bool choosing(const State &S, unsigned Thread) const;
  /// Some thread has had to wait because of InFlight: what would need longer queues was not looked at.
  mutable bool HitLimit = false;

private:
  void enabledCpu(const State &S, unsigned Thread, std::vector<Transition> &Out) const;
  bool canStep(const State &S, unsigned Thread) const;
  bool canCompareAndSwap(const State &S, unsigned Thread) const;
  bool hasRoom(const State &S, unsigned Thread) const;
  bool haveArrived(const State &S, unsigned Thread, WorkId Id) const;
  bool waitIsOver(const State &S, unsigned Thread, const Operation &Wait) const;
  bool oldestIsForPolls(const State &S, QueuePairId Pair) const;
  bool atomicMayGo(const State &S, unsigned Pair, unsigned Position) const;

  void enter(State &S, unsigned Thread, unsigned Statement) const;
  void finishStep(State &S, unsigned Thread, unsigned Steps) const;
  void stepCpu(State &S, const Transition &T) const;
  void readOperand(State &S, unsigned Thread) const;
  void write(State &S, unsigned Thread, ObjectId Location, std::int64_t Value) const;
  EventKey eventOf(const State &S, unsigned Thread, ObjectId Location, bool Write) const;
  std::int64_t peek(const State &S, unsigned Thread, ObjectId Location) const;
  std::int64_t read(State &S, unsigned Thread, ObjectId Location) const;
  void compareAndSwap(State &S, unsigned Thread) const;
  void post(State &S, unsigned Thread) const;
  void remoteAtOnce(State &S, unsigned Thread) const;
  void complete(State &S, QueuePairId Pair, const Operation &Op) const;
  void takeCompletion(State &S, QueuePairId Pair) const;
  void expectCompletion(State &S, const Operation &Op) const;
  void normalize(State &S) const;

  const CompiledProgram &P;
  Model M;
  unsigned InFlight;
};

} // namespace rdma::explorer
