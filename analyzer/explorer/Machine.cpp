#include "analyzer/explorer/Machine.h"

#include "analyzer/explorer/NicMemory.h"

#include <algorithm>

namespace rdma::explorer {

using enum OperationKind;

Machine::Machine(const CompiledProgram &P, Model M, unsigned InFlight) : P(P), M(M), InFlight(InFlight) {
  if (P.Source->Nodes.size() > 64)
    throw Unsupported({}, "more than 64 nodes");
}

State Machine::initial(bool FollowOrder) const {
  State S;
  S.Threads.resize(P.Threads.size());
  S.Memory = P.Initial;
  S.Buffers.resize(P.Threads.size());
  S.Pairs.resize(P.Source->QueuePairs.size());
  if (FollowOrder)
    S.Order.start(P.Threads.size(), P.Initial.size());
  for (unsigned T = 0; T < P.Threads.size(); ++T)
    enter(S, T, 0);
  return S;
}

const CompiledStatement *Machine::current(const State &S, unsigned Thread) const {
  unsigned At = S.Threads[Thread].At;
  return At == Exit ? nullptr : &P.Threads[Thread].Statements[At];
}

bool Machine::choosing(const State &S, unsigned Thread) const {
  const CompiledStatement *C = current(S, Thread);
  return C && S.Threads[Thread].Phase >= C->phases();
}

const Request &Machine::request(const State &S, const Transition &T) const {
  using enum nic::Rule;
  const Queues &Q = S.Pairs[T.Index].Nic;
  const auto &Queue = T.Step.Taken == LocalWriteArrives                             ? Q.ToLocal
                      : T.Step.Taken == PutArrives || T.Step.Taken == AtomicArrives ? Q.ToRemote
                                                                                    : Q.Pipe;
  return Queue[T.Step.Position].Data;
}

bool Machine::finished(const State &S) const {
  return std::all_of(S.Threads.begin(), S.Threads.end(), [](const ThreadState &T) { return T.At == Exit; }) &&
         std::all_of(S.Buffers.begin(), S.Buffers.end(), [](const auto &B) { return B.empty(); }) &&
         std::all_of(S.Pairs.begin(), S.Pairs.end(), [](const PairState &Q) { return Q.Nic.quiet(); });
}

void Machine::enter(State &S, unsigned Thread, unsigned Statement) const {
  S.Threads[Thread] = {.At = Statement};
  if (Statement == Exit)
    return;
  const CompiledStatement &C = P.Threads[Thread].Statements[Statement];
  S.Threads[Thread].Value = C.Value;
  S.Threads[Thread].Desired = C.Desired;
  if (C.phases() == 0)
    finishStep(S, Thread, 0);
}

void Machine::finishStep(State &S, unsigned Thread, unsigned Steps) const {
  ThreadState &T = S.Threads[Thread];
  const CompiledStatement &C = P.Threads[Thread].Statements[T.At];
  T.Phase = std::min(T.Phase + Steps, C.phases());
  if (T.Phase < C.phases())
    return;
  if (C.Next.size() == 1)
    return enter(S, Thread, C.Next[0]);
  T.Value = T.Desired = T.Old = 0;
}

std::vector<Transition> Machine::enabled(const State &S) const {
  std::vector<Transition> Out;
  for (unsigned T = 0; T < S.Threads.size(); ++T) {
    enabledCpu(S, T, Out);
    if (!S.Buffers[T].empty())
      Out.push_back({Transition::Kind::Flush, T});
  }
  for (unsigned Q = 0; Q < S.Pairs.size(); ++Q) {
    bool LockFree = !(S.Locked >> P.Source->QueuePairs[Q].Target & 1);
    nic::forEachStep(S.Pairs[Q].Nic, LockFree, [&](nic::Step Step) {
      if (Step.Taken != nic::Rule::AtomicReads || atomicMayGo(S, Q, Step.Position))
        Out.push_back({Transition::Kind::Nic, Q, 0, Step});
    });
  }
  return Out;
}

void Machine::enabledCpu(const State &S, unsigned Thread, std::vector<Transition> &Out) const {
  const CompiledStatement *C = current(S, Thread);
  if (!C)
    return;
  if (choosing(S, Thread)) {
    for (unsigned N : C->Next)
      Out.push_back({Transition::Kind::Cpu, Thread, N});
    return;
  }
  bool IsPoll = C->Op.Kind == Poll;
  if (!IsPoll && canStep(S, Thread))
    Out.push_back({Transition::Kind::Cpu, Thread});
  for (unsigned Q = 0; IsPoll && Q < S.Pairs.size(); ++Q) {
    const auto &ToLocal = S.Pairs[Q].Nic.ToLocal;
    if (reportsTo(P.Source->QueuePairs[Q], C->Op.Queue) && !ToLocal.empty() &&
        ToLocal.front().Kind == nic::EntryKind::Completion)
      Out.push_back({Transition::Kind::Cpu, Thread, Q});
  }
}

bool Machine::hasRoom(const State &S, unsigned Thread) const {
  if (!P.Threads[Thread].Loops)
    return true;
  std::size_t OnTheWay = S.Buffers[Thread].size();
  for (unsigned Q = 0; Q < S.Pairs.size(); ++Q)
    if (P.Source->QueuePairs[Q].Owner == Thread) {
      const Queues &N = S.Pairs[Q].Nic;
      OnTheWay += std::max(N.Pipe.size() + N.ToRemote.size() + N.ToLocal.size(), S.Pairs[Q].Waiting.size());
    }
  if (OnTheWay < InFlight + P.Threads[Thread].Posts)
    return true;
  HitLimit = true;
  return false;
}

bool Machine::canCompareAndSwap(const State &S, unsigned Thread) const {
  const Operation &Op = current(S, Thread)->Op;
  if (!S.Buffers[Thread].empty())
    return false;
  bool Succeeds = S.Memory[Op.Local.Target] == S.Threads[Thread].Value;
  return Op.Success == Operation::Outcome::Either || Succeeds == (Op.Success == Operation::Outcome::Succeeds);
}

bool Machine::canStep(const State &S, unsigned Thread) const {
  const CompiledStatement &C = *current(S, Thread);
  const ThreadState &T = S.Threads[Thread];
  if (T.Phase < C.Reads.size())
    return true;
  bool First = T.Phase == C.Reads.size();
  switch (C.Op.Kind) {
  case LocalCas:
    return First ? canCompareAndSwap(S, Thread) : hasRoom(S, Thread);
  case MemoryFence:
    return S.Buffers[Thread].empty();
  case Assume:
    return (peek(S, Thread, C.Op.Local.Target) == C.Op.Constant) != C.Op.Negated;
  case Wait:
    return waitIsOver(S, Thread, C.Op);
  case RemoteCas: {
    bool Succeeds = S.Memory[C.Op.Remote.Target] == T.Value;
    if (M == Model::Sc && First && C.Op.Success != Operation::Outcome::Either)
      return Succeeds == (C.Op.Success == Operation::Outcome::Succeeds);
    return hasRoom(S, Thread);
  }
  case Load:
  case Nop:
    return true;
  default:
    return hasRoom(S, Thread);
  }
}

bool Machine::atomicMayGo(const State &S, unsigned Pair, unsigned Position) const {
  const Request &R = S.Pairs[Pair].Nic.Pipe[Position].Data;
  if (!R.IsSwap || R.Outcome == Operation::Outcome::Either)
    return true;
  bool Succeeds = S.Memory[R.Remote] == R.Expected;
  return Succeeds == (R.Outcome == Operation::Outcome::Succeeds);
}

void Machine::apply(State &S, const Transition &T) const {
  switch (T.What) {
  case Transition::Kind::Cpu:
    stepCpu(S, T);
    break;
  case Transition::Kind::Flush: {
    Buffered B = std::move(S.Buffers[T.Index].front());
    S.Buffers[T.Index].erase(S.Buffers[T.Index].begin());
    if (B.IsWrite) {
      S.Memory[B.Location] = B.Value;
      S.Order.write(B.Event, B.Location);
    } else {
      S.Pairs[B.Pair].Nic.post(std::move(B.Posted), B.Fenced);
    }
    break;
  }
  case Transition::Kind::Nic: {
    NicMemory Memory(*P.Source, S);
    nic::apply(S.Pairs[T.Index].Nic, T.Step, Memory);
    break;
  }
  }
  normalize(S);
}

/// Completions that only waits look for are taken as soon as they can be; a poll finds its own in front.
void Machine::normalize(State &S) const {
  for (unsigned Q = 0; Q < S.Pairs.size(); ++Q) {
    if (!P.Waited[Q])
      continue;
    auto &ToLocal = S.Pairs[Q].Nic.ToLocal;
    while (!ToLocal.empty() && ToLocal.front().Kind == nic::EntryKind::Completion &&
           !(P.Polled[Q] && oldestIsForPolls(S, Q)))
      takeCompletion(S, Q);
  }
}

} // namespace rdma::explorer
