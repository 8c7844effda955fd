// What a step does: the conclusions of SYNC App. D.1, Fig. 21, over any kind of memory.
#pragma once

#include "runtime/nic/Steps.h"

#include <concepts>

namespace rdma::nic {

/// The memory that a queue pair works on. A payload knows its own addresses.
///   readLocal(P)    a put fetches its source into P
///   readRemote(P)   a get fetches remote memory into P
///   writeLocal(P)   the result in P goes to local memory
///   writeRemote(P)  the value in P goes to remote memory; also the write of a remote atomic
///   readAtomic(P)   a remote atomic reads; P becomes the result to deliver; returns the payload of its
///   write, or
///                   nothing when a compare-and-swap fails
///   tryLock(P)      takes the atomics lock of the target node, or returns false
///   unlock(P)       frees it
template <class M, class Payload>
concept Memory = requires(M &Mem, Payload &P) {
  Mem.readLocal(P);
  Mem.readRemote(P);
  Mem.writeLocal(P);
  Mem.writeRemote(P);
  { Mem.readAtomic(P) } -> std::same_as<std::optional<Payload>>;
  { Mem.tryLock(P) } -> std::same_as<bool>;
  Mem.unlock(P);
};

/// Rules 9 to 11. The lock is held while reading, so a failed compare-and-swap too falls outside every other
/// remote atomic.
template <class Payload, Memory<Payload> M>
bool applyAtomicRead(QueuePairQueues<Payload> &Q, unsigned Position, M &Mem) {
  auto At = Q.Pipe.begin() + Position;
  if (!Mem.tryLock(At->Data))
    return false;
  std::optional<Payload> Write = Mem.readAtomic(At->Data);
  At->Kind = EntryKind::LocalWrite;
  if (Write)
    Q.Pipe.insert(At, {EntryKind::AtomicWrite, false, std::move(*Write)});
  else
    Mem.unlock(At->Data);
  return true;
}

/// Rules 4, 8 and 13: a write reaches memory.
template <class Payload, Memory<Payload> M> void applyArrival(QueuePairQueues<Payload> &Q, Step S, M &Mem) {
  auto &Queue = S.Taken == Rule::LocalWriteArrives ? Q.ToLocal : Q.ToRemote;
  auto At = Queue.begin() + S.Position;
  if (S.Taken == Rule::LocalWriteArrives)
    Mem.writeLocal(At->Data);
  else
    Mem.writeRemote(At->Data);
  if (S.Taken == Rule::AtomicArrives)
    Mem.unlock(At->Data);
  Queue.erase(At);
}

/// Takes one enabled step. False, and nothing changed, when the atomics lock was taken in the meantime by
/// someone who shares it.
template <class Payload, Memory<Payload> M> bool apply(QueuePairQueues<Payload> &Q, Step S, M &Mem) {
  auto At = Q.Pipe.begin() + S.Position;
  switch (S.Taken) {
  case Rule::FenceLeaves:
    Q.Pipe.erase(At);
    break;
  case Rule::PutReads:
    Mem.readLocal(At->Data);
    At->Kind = EntryKind::PutValue;
    break;
  case Rule::PutSends:
    At->Kind = EntryKind::Ack;
    Q.ToRemote.push_back({EntryKind::PutValue, At->Signaled, At->Data});
    break;
  case Rule::AckCompletes:
    if (At->Signaled)
      Q.ToLocal.push_back({EntryKind::Completion, true, std::move(At->Data)});
    Q.Pipe.erase(At);
    break;
  case Rule::GetReads:
    Mem.readRemote(At->Data);
    At->Kind = EntryKind::LocalWrite;
    break;
  case Rule::ResultReturns:
    Q.ToLocal.push_back(*At);
    if (At->Signaled)
      Q.ToLocal.push_back({EntryKind::Completion, true, std::move(At->Data)});
    Q.Pipe.erase(At);
    break;
  case Rule::AtomicReads:
    return applyAtomicRead(Q, S.Position, Mem);
  case Rule::AtomicSends:
    Q.ToRemote.push_back(std::move(*At));
    Q.Pipe.erase(At);
    break;
  case Rule::PutArrives:
  case Rule::LocalWriteArrives:
  case Rule::AtomicArrives:
    applyArrival(Q, S, Mem);
    break;
  }
  return true;
}

} // namespace rdma::nic
