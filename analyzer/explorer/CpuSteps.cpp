// The steps of a thread: SYNC Fig. 19 and the CPU's part of Fig. 20.
#include "analyzer/explorer/Machine.h"
#include "ir/SubEvents.h"

#include "ir/SubEvents.h"

#include <algorithm>

namespace rdma::explorer {

using enum OperationKind;

namespace {

const Buffered *newestWrite(const State &S, unsigned Thread, ObjectId Location) {
  const auto &Buffer = S.Buffers[Thread];
  auto At = std::find_if(Buffer.rbegin(), Buffer.rend(),
                         [&](const Buffered &B) { return B.IsWrite && B.Location == Location; });
  return At == Buffer.rend() ? nullptr : &*At;
}

} // namespace

EventKey Machine::eventOf(const State &S, unsigned Thread, ObjectId Location, bool Write) const {
  return {Thread, current(S, Thread)->Source, Location, Write};
}

std::int64_t Machine::peek(const State &S, unsigned Thread, ObjectId Location) const {
  const Buffered *Own = newestWrite(S, Thread, Location);
  return Own ? Own->Value : S.Memory[Location];
}

std::int64_t Machine::read(State &S, unsigned Thread, ObjectId Location) const {
  EventKey Event = eventOf(S, Thread, Location, false);
  if (const Buffered *Own = newestWrite(S, Thread, Location))
    S.Order.readBuffered(Event, Own->Event);
  else
    S.Order.readNow(Event);
  return peek(S, Thread, Location);
}

void Machine::write(State &S, unsigned Thread, ObjectId Location, std::int64_t Value) const {
  EventKey Event = eventOf(S, Thread, Location, true);
  if (M == Model::RdmaTso) {
    S.Buffers[Thread].push_back({true, Location, Value, S.Order.issue(Event)});
    return;
  }
  S.Memory[Location] = Value;
  S.Order.writeNow(Event);
}

void Machine::readOperand(State &S, unsigned Thread) const {
  ThreadState &T = S.Threads[Thread];
  const OperandRead &R = current(S, Thread)->Reads[T.Phase];
  (R.IntoDesired ? T.Desired : T.Value) += R.Sign * read(S, Thread, R.Location);
}

void Machine::compareAndSwap(State &S, unsigned Thread) const {
  ThreadState &T = S.Threads[Thread];
  ObjectId Location = current(S, Thread)->Op.Local.Target;
  T.Old = S.Memory[Location];
  if (T.Old == T.Value || exchanges(current(S, Thread)->Op)) {
    S.Memory[Location] = T.Desired;
    S.Order.writeNow(eventOf(S, Thread, Location, true)); // its read falls in with its write
  } else {
    S.Order.readNow(eventOf(S, Thread, Location, false));
  }
  T.Value = T.Desired = 0;
}

void Machine::expectCompletion(State &S, const Operation &Op) const {
  if (P.Waited[Op.Pair])
    S.Pairs[Op.Pair].Waiting.push_back({Op.Id, !Op.Unsignaled, leavesForPolls(Op)});
}

void Machine::post(State &S, unsigned Thread) const {
  const Operation &Op = current(S, Thread)->Op;
  const ThreadState &T = S.Threads[Thread];
  Buffered B{.IsWrite = false, .Pair = Op.Pair, .Fenced = Op.Fenced};
  B.Posted.Signaled = !Op.Unsignaled && (P.Polled[Op.Pair] || P.Waited[Op.Pair]);
  Request &R = B.Posted.Data;
  R.Statement = T.At;
  R.Local = Op.Local.Target;
  R.Remote = Op.Remote.Target;
  auto reads = [&](const Access &A) { return S.Order.issue(eventOf(S, Thread, A.Target, false)); };
  auto writes = [&](const Access &A) { return S.Order.issue(eventOf(S, Thread, A.Target, true)); };
  switch (Op.Kind) {
  case Put:
    B.Posted.Kind = Op.Inline ? nic::EntryKind::PutValue : nic::EntryKind::Put;
    R.Value = Op.Inline ? T.Value : 0;
    R.First = Op.Inline ? NoSlot : reads(Op.Local);
    R.Second = writes(Op.Remote);
    break;
  case Get:
    B.Posted.Kind = nic::EntryKind::Get;
    R.First = reads(Op.Remote);
    R.Third = writes(Op.Local);
    break;
  case RemoteFence:
    B.Posted = {nic::EntryKind::Fence, false, {}};
    break;
  default:
    B.Posted.Kind = nic::EntryKind::Atomic;
    R.IsSwap = Op.Kind == RemoteCas;
    R.Outcome = Op.Success;
    R.Expected = T.Value;
    R.Desired = T.Desired;
    R.First = reads(Op.Remote);
    R.Second = writes(Op.Remote);
    R.Third = writes(Op.Local);
    break;
  }
  if (Op.Kind != RemoteFence)
    expectCompletion(S, Op);
  // An operation passes the store buffer behind earlier writes; with nothing before it, it is through at
  // once.
  if (S.Buffers[Thread].empty())
    S.Pairs[B.Pair].Nic.post(std::move(B.Posted), B.Fenced);
  else
    S.Buffers[Thread].push_back(std::move(B));
}

void Machine::complete(State &S, QueuePairId Pair, const Operation &Op) const {
  expectCompletion(S, Op);
  if (!Op.Unsignaled && (P.Polled[Pair] || P.Waited[Pair]))
    S.Pairs[Pair].Nic.ToLocal.push_back({nic::EntryKind::Completion, true, {}});
}

/// Sequential consistency: one sub-event a step, but a remote atomic reads and writes in one.
void Machine::remoteAtOnce(State &S, unsigned Thread) const {
  const CompiledStatement &C = *current(S, Thread);
  const Operation &Op = C.Op;
  ThreadState &T = S.Threads[Thread];
  if (Op.Kind == RemoteFence)
    return;
  if (T.Phase > C.Reads.size()) {
    S.Memory[Op.Kind == Put ? Op.Remote.Target : Op.Local.Target] = T.Old;
    return complete(S, Op.Pair, Op);
  }
  std::int64_t &Remote = S.Memory[Op.Remote.Target];
  switch (Op.Kind) {
  case Put:
    T.Old = Op.Inline ? T.Value : S.Memory[Op.Local.Target];
    break;
  case Get:
    T.Old = Remote;
    break;
  case RemoteCas:
    T.Old = Remote;
    if (Remote == T.Value)
      Remote = T.Desired;
    break;
  case RemoteFaa:
    T.Old = Remote;
    Remote += T.Value;
    break;
  default:
    break;
  }
  T.Value = T.Desired = 0;
}

/// Has each message with this identifier, of those whose arrival is waited for, reached memory?
bool Machine::haveArrived(const State &S, unsigned Thread, WorkId Id) const {
  auto isUnderWay = [&](const QueueEntry &E) {
    return E.Data.Statement != None && E.Kind != nic::EntryKind::Ack &&
           E.Kind != nic::EntryKind::Completion &&
           P.Threads[Thread].Statements[E.Data.Statement].Op.Heard == Id;
  };
  for (unsigned Q = 0; Q < S.Pairs.size(); ++Q)
    if (P.Source->QueuePairs[Q].Owner == Thread)
      for (const auto *Queue : {&S.Pairs[Q].Nic.Pipe, &S.Pairs[Q].Nic.ToRemote})
        if (std::any_of(Queue->begin(), Queue->end(), isUnderWay))
          return false;
  return std::none_of(S.Buffers[Thread].begin(), S.Buffers[Thread].end(),
                      [&](const Buffered &B) { return !B.IsWrite && isUnderWay(B.Posted); });
}

bool Machine::waitIsOver(const State &S, unsigned Thread, const Operation &Wait) const {
  if (!haveArrived(S, Thread, Wait.Id))
    return false;
  for (unsigned Q = 0; Q < S.Pairs.size(); ++Q) {
    if (P.Source->QueuePairs[Q].Owner != Thread)
      continue;
    const auto &Waiting = S.Pairs[Q].Waiting;
    std::size_t Arrived = 0, Needed = 0, Signaled = 0;
    for (const QueueEntry &E : S.Pairs[Q].Nic.ToLocal) {
      if (E.Kind != nic::EntryKind::Completion)
        break;
      ++Arrived;
    }
    auto Left =
        std::count_if(Waiting.begin(), Waiting.end(), [&](const Outstanding &O) { return O.Id == Wait.Id; });
    for (const Outstanding &O : Waiting) {
      // What has this identifier is covered by its own completion, or by the next one behind it.
      if (O.Id == Wait.Id && Left-- > Wait.Constant)
        Needed = Signaled + 1;
      Signaled += O.Signaled;
    }
    if (Needed > Arrived)
      return false;
  }
  return true;
}

bool Machine::oldestIsForPolls(const State &S, QueuePairId Pair) const {
  const auto &Waiting = S.Pairs[Pair].Waiting;
  auto Oldest = std::find_if(Waiting.begin(), Waiting.end(), [](const Outstanding &O) { return O.Signaled; });
  return Oldest != Waiting.end() && Oldest->ForPolls;
}

void Machine::takeCompletion(State &S, QueuePairId Pair) const {
  S.Pairs[Pair].Nic.poll();
  auto &Waiting = S.Pairs[Pair].Waiting;
  auto Covered =
      std::find_if(Waiting.begin(), Waiting.end(), [](const Outstanding &O) { return O.Signaled; });
  if (Covered != Waiting.end())
    Waiting.erase(Waiting.begin(), Covered + 1);
}

void Machine::stepCpu(State &S, const Transition &Step) const {
  unsigned Thread = Step.Index;
  if (choosing(S, Thread))
    return enter(S, Thread, Step.Choice);
  const CompiledStatement &C = *current(S, Thread);
  ThreadState &T = S.Threads[Thread];
  unsigned Steps = 1;
  if (T.Phase < C.Reads.size()) {
    readOperand(S, Thread);
    return finishStep(S, Thread, 1);
  }
  switch (C.Op.Kind) {
  case Load:
  case Assume:
    read(S, Thread, C.Op.Local.Target);
    break;
  case Store:
    write(S, Thread, C.Op.Local.Target, T.Value);
    break;
  case LocalCas:
    if (T.Phase == C.Reads.size())
      compareAndSwap(S, Thread);
    else
      write(S, Thread, C.Op.Result.Target, T.Old);
    break;
  case Poll:
    takeCompletion(S, Step.Choice);
    break;
  case Wait: // normalize() takes what it has waited for
  case Nop:
  case MemoryFence:
  case LocalRmw:
    break;
  default:
    if (M == Model::Sc) {
      remoteAtOnce(S, Thread);
    } else {
      post(S, Thread);
      Steps = C.OwnSteps;
    }
  }
  finishStep(S, Thread, Steps);
}

} // namespace rdma::explorer
