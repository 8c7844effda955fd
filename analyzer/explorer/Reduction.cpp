#include "analyzer/explorer/Reduction.h"

#include <algorithm>

namespace rdma::explorer {

using enum OperationKind;
using nic::EntryKind;
using nic::Rule;

namespace {

void addEntry(Footprint &F, const QueueEntry &E) {
  const Request &R = E.Data;
  switch (E.Kind) {
  case EntryKind::Put:
    F.read(R.Local);
    F.write(R.Remote);
    break;
  case EntryKind::PutValue:
  case EntryKind::AtomicWrite:
    F.write(R.Remote);
    break;
  case EntryKind::Get:
    F.read(R.Remote);
    F.write(R.Local);
    break;
  case EntryKind::LocalWrite:
    F.write(R.Local);
    break;
  case EntryKind::Atomic:
    F.read(R.Remote);
    F.write(R.Remote);
    F.write(R.Local);
    break;
  default:
    break;
  }
}

class Search {
public:
  Search(const Machine &M, const State &S) : M(M), S(S), Rest(stillToCome(M, S)) {}

  bool isSafe(const Transition &T) const {
    switch (T.What) {
    case Transition::Kind::Cpu:
      return isSafeCpu(T.Index);
    case Transition::Kind::Flush: {
      const Buffered &B = S.Buffers[T.Index].front();
      return !B.IsWrite || Rest.writeIsAlone(B.Location);
    }
    case Transition::Kind::Nic:
      return isSafeNic(T.Index, T.Step);
    }
    return false;
  }

  /// A thread that waits for a value which nobody can write any more.
  bool isStuck(unsigned Thread) const {
    const CompiledStatement *C = M.current(S, Thread);
    return C && !M.choosing(S, Thread) && C->Op.Kind == Assume &&
           S.Threads[Thread].Phase == C->Reads.size() && Rest.readIsAlone(C->Op.Local.Target);
  }

private:
  bool isSafeCpu(unsigned Thread) const {
    const CompiledStatement &C = *M.current(S, Thread);
    unsigned Phase = S.Threads[Thread].Phase;
    if (Phase < C.Reads.size())
      return Rest.readIsAlone(C.Reads[Phase].Location);
    bool First = Phase == C.Reads.size();
    switch (C.Op.Kind) {
    case Load:
    case Assume:
      return Rest.readIsAlone(C.Op.Local.Target);
    case Store:
      return M.model() == Model::RdmaTso || Rest.writeIsAlone(C.Op.Local.Target);
    case LocalCas:
      if (First)
        return Rest.updateIsAlone(C.Op.Local.Target);
      return M.model() == Model::RdmaTso || Rest.writeIsAlone(C.Op.Result.Target);
    case Poll:
      return isOnlyTaker(C.Op.Queue);
    case Wait:
      return waitsAlone(Thread);
    case MemoryFence:
    case RemoteFence:
    case Nop:
      return true;
    default:
      return M.model() != Model::Sc || isSafeAtOnce(C.Op, First);
    }
  }

  bool isSafeAtOnce(const Operation &Op, bool First) const {
    if (!First)
      return Rest.writeIsAlone(Op.Kind == Put ? Op.Remote.Target : Op.Local.Target);
    if (Op.Kind == Put)
      return Op.Inline || Rest.readIsAlone(Op.Local.Target);
    if (Op.Kind == Get)
      return Rest.readIsAlone(Op.Remote.Target);
    return Rest.updateIsAlone(Op.Remote.Target);
  }

  bool isSafeNic(unsigned Pair, nic::Step Step) const {
    const Queues &Q = S.Pairs[Pair].Nic;
    switch (Step.Taken) {
    case Rule::FenceLeaves:
    case Rule::AckCompletes:
      return true;
    case Rule::PutReads:
      return Rest.readIsAlone(Q.Pipe[Step.Position].Data.Local);
    case Rule::GetReads:
      return Rest.readIsAlone(Q.Pipe[Step.Position].Data.Remote);
    case Rule::PutSends:
    case Rule::AtomicSends:
      // A write in ToRemote only holds back gets and atomics that have not read; younger ones wait anyway.
      return std::none_of(Q.Pipe.begin(), Q.Pipe.begin() + Step.Position,
                          [](const QueueEntry &E) { return E.Kind == EntryKind::Get; });
    case Rule::PutArrives:
    case Rule::AtomicArrives:
      return Rest.writeIsAlone(Q.ToRemote.front().Data.Remote);
    case Rule::LocalWriteArrives:
      return Rest.writeIsAlone(Q.ToLocal[Step.Position].Data.Local);
    case Rule::ResultReturns:
      return noPutMayRead(Pair);
    case Rule::AtomicReads:
      return false;
    }
    return false;
  }

  /// A write in ToLocal holds back puts that have not read their source: none is there before the next fence,
  /// or will come.
  bool noPutMayRead(unsigned Pair) const {
    for (const QueueEntry &E : S.Pairs[Pair].Nic.Pipe) {
      if (E.Kind == EntryKind::Put)
        return false;
      if (E.Kind == EntryKind::Fence || E.Kind == EntryKind::RequestFence)
        return true;
    }
    unsigned Owner = M.program().Source->QueuePairs[Pair].Owner;
    for (const Buffered &B : S.Buffers[Owner])
      if (!B.IsWrite && B.Pair == Pair && B.Posted.Kind == EntryKind::Put)
        return false;
    const CompiledStatement *C = M.current(S, Owner);
    return !C || !(C->FuturePuts & Footprint::bit(Pair));
  }

  /// Does the poll take what nobody else does, and no other instead?
  bool isOnlyTaker(CompletionQueueId Queue) const {
    const auto &Pairs = M.program().Source->QueuePairs;
    unsigned Reporting = 0;
    for (QueuePairId Q = 0; Q < Pairs.size(); ++Q)
      if (reportsTo(Pairs[Q], Queue))
        Reporting += M.program().Contended[Q] ? 2 : 1;
    return Reporting == 1;
  }

  bool waitsAlone(unsigned Thread) const {
    const auto &Pairs = M.program().Source->QueuePairs;
    for (QueuePairId Q = 0; Q < Pairs.size(); ++Q)
      if (Pairs[Q].Owner == Thread && M.program().Contended[Q])
        return false;
    return true;
  }

  const Machine &M;
  const State &S;
  Footprint Rest;
};

} // namespace

Footprint stillToCome(const Machine &M, const State &S) {
  Footprint F;
  for (unsigned T = 0; T < S.Threads.size(); ++T) {
    if (const CompiledStatement *C = M.current(S, T))
      F.then(C->From[std::min<std::size_t>(S.Threads[T].Phase, C->From.size() - 1)]);
    for (const Buffered &B : S.Buffers[T]) {
      if (B.IsWrite)
        F.write(B.Location);
      else
        addEntry(F, B.Posted);
    }
  }
  for (const PairState &P : S.Pairs)
    for (const auto *Queue : {&P.Nic.Pipe, &P.Nic.ToRemote, &P.Nic.ToLocal})
      for (const QueueEntry &E : *Queue)
        addEntry(F, E);
  return F;
}

Persistent persistentSet(const Machine &M, const State &S, const std::vector<Transition> &Enabled) {
  Persistent Out;
  Search Find(M, S);
  std::vector<bool> CpuEnabled(S.Threads.size());
  for (const Transition &T : Enabled) {
    bool IsCpu = T.What == Transition::Kind::Cpu;
    if (IsCpu)
      CpuEnabled[T.Index] = true;
    if (IsCpu && M.choosing(S, T.Index))
      continue;
    if (Find.isSafe(T)) {
      Out.Steps = {T};
      return Out;
    }
  }
  for (unsigned T = 0; T < S.Threads.size(); ++T) {
    if (!CpuEnabled[T] && Find.isStuck(T)) {
      Out.Dead = true;
      return Out;
    }
    if (M.choosing(S, T)) {
      for (const Transition &Way : Enabled)
        if (Way.What == Transition::Kind::Cpu && Way.Index == T)
          Out.Steps.push_back(Way);
      return Out;
    }
  }
  return Out;
}

} // namespace rdma::explorer
