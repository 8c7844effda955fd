// Which steps a NIC may take next on one queue pair: the premises of SYNC App. D.1, Fig. 21.
//
// "Older" means nearer the front of the pipe. Any enabled step may be taken, in any order.
#pragma once

#include "runtime/nic/Queues.h"

namespace rdma::nic {

/// Numbers are the paper's. Rules 9 to 11 are one step here: whether a remote atomic writes depends on what
/// it reads.
enum class Rule : std::uint8_t {
  FenceLeaves = 1,       ///< a fence leaves the pipe
  PutReads = 2,          ///< a put reads its source
  PutSends = 3,          ///< a put's value starts for remote memory, an ack takes its place
  PutArrives = 4,        ///< the value reaches remote memory
  AckCompletes = 5,      ///< an ack becomes a completion
  GetReads = 6,          ///< a get reads remote memory
  ResultReturns = 7,     ///< a result starts for local memory, followed by its completion
  LocalWriteArrives = 8, ///< the result reaches local memory
  AtomicReads = 9,       ///< a remote atomic reads, and takes the lock if it will write (9, 10, 11)
  AtomicSends = 12,      ///< its write starts for remote memory
  AtomicArrives = 13     ///< the write reaches remote memory and frees the lock
};

/// Position counts from the front of the queue that the rule looks at: ToRemote for PutArrives and
/// AtomicArrives, ToLocal for LocalWriteArrives, the pipe for all others.
struct Step {
  Rule Taken;
  unsigned Position = 0;
  bool operator==(const Step &) const = default;
};

/// What stands before an entry of the pipe, as far as the rules ask.
struct OlderEntries {
  bool Any = false;               ///< there are older entries
  bool UnreadPutOrFence = false;  ///< bars rule 2
  bool OtherThanGetOrAck = false; ///< bars rules 3, 6, 9 to 12; results of atomics count as gets
  bool GetOrAtomic = false; ///< a get or remote atomic with a step left in the pipe; bars request fences

  void add(EntryKind K) {
    Any = true;
    bool IsFence = K == EntryKind::Fence || K == EntryKind::RequestFence;
    bool IsGet = K == EntryKind::Get || K == EntryKind::LocalWrite;
    UnreadPutOrFence |= IsFence || K == EntryKind::Put;
    OtherThanGetOrAck |= !IsGet && K != EntryKind::Ack;
    GetOrAtomic |= IsGet || K == EntryKind::Atomic || K == EntryKind::AtomicWrite;
  }
};

/// ToLocal holds a write, which a put's local read must not pass.
template <class Payload> bool localWritePending(const QueuePairQueues<Payload> &Q) {
  for (const auto &E : Q.ToLocal)
    if (E.Kind == EntryKind::LocalWrite)
      return true;
  return false;
}

/// The rule that an entry of the pipe may take now, if any.
template <class Payload>
std::optional<Rule> pipeRule(const QueuePairQueues<Payload> &Q, EntryKind K, const OlderEntries &Older,
                             bool LockFree) {
  bool MayReadRemote = !Older.OtherThanGetOrAck && Q.ToRemote.empty();
  auto when = [](bool Allowed, Rule R) { return Allowed ? std::optional(R) : std::nullopt; };
  switch (K) {
  case EntryKind::Fence:
    return when(!Older.Any, Rule::FenceLeaves);
  case EntryKind::RequestFence:
    return when(!Older.GetOrAtomic, Rule::FenceLeaves);
  case EntryKind::Put:
    return when(!Older.UnreadPutOrFence && !localWritePending(Q), Rule::PutReads);
  case EntryKind::PutValue:
    return when(!Older.OtherThanGetOrAck, Rule::PutSends);
  case EntryKind::Ack:
    return when(!Older.Any, Rule::AckCompletes);
  case EntryKind::Get:
    return when(MayReadRemote, Rule::GetReads);
  case EntryKind::LocalWrite:
    return when(!Older.Any, Rule::ResultReturns);
  case EntryKind::Atomic:
    return when(MayReadRemote && LockFree, Rule::AtomicReads);
  case EntryKind::AtomicWrite:
    return when(!Older.OtherThanGetOrAck, Rule::AtomicSends);
  case EntryKind::Completion:
    return std::nullopt;
  }
  return std::nullopt;
}

/// Calls Visit(Step) for every enabled step. LockFree: the atomics lock of the target node is free.
template <class Payload, class Visitor>
void forEachStep(const QueuePairQueues<Payload> &Q, bool LockFree, Visitor Visit) {
  OlderEntries Older;
  for (unsigned I = 0; I < Q.Pipe.size(); ++I) {
    if (auto R = pipeRule(Q, Q.Pipe[I].Kind, Older, LockFree))
      Visit(Step{*R, I});
    Older.add(Q.Pipe[I].Kind);
  }
  if (!Q.ToRemote.empty())
    Visit(Step{Q.ToRemote.front().Kind == EntryKind::AtomicWrite ? Rule::AtomicArrives : Rule::PutArrives});
  for (unsigned I = 0; I < Q.ToLocal.size(); ++I)
    if (Q.ToLocal[I].Kind == EntryKind::LocalWrite) {
      Visit(Step{Rule::LocalWriteArrives, I});
      break;
    }
}

template <class Payload> std::vector<Step> enabledSteps(const QueuePairQueues<Payload> &Q, bool LockFree) {
  std::vector<Step> Steps;
  forEachStep(Q, LockFree, [&](Step S) { Steps.push_back(S); });
  return Steps;
}

} // namespace rdma::nic
