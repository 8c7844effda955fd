#include "analyzer/core/Remedy.h"

namespace rdma {
namespace {

using enum EventKind;

/// Columns D and E of Fig. 5: a fence after a READ holds back everything behind it on the queue pair, but a
/// delivery only what takes its value from this node's memory or carries it on.
bool fenceOrders(EventKind First, EventKind Second) {
  switch (First) {
  case nrR:
  case narR:
    return isNic(Second);
  case nlW:
    return Second == nlR || Second == nrW;
  default:
    return false;
  }
}

} // namespace

Remedy cheapestRemedy(const Violation &V) {
  const EventRef &First = V.First, &Second = V.Second;
  if (First.Statement == Second.Statement && !V.LoopCarried)
    return Remedy::Impossible;
  if (!isNic(First.Kind))
    return Remedy::MemoryFence; // only a store before a load is ever open, on x86-TSO
  bool SamePair = First.Pair == Second.Pair && isNic(Second.Kind);
  if (SamePair && fenceOrders(First.Kind, Second.Kind))
    return Remedy::RemoteFence;
  // A WRITE's completion says that its source was read, not that the value has arrived.
  return First.Kind == nrW || First.Kind == narW ? Remedy::PolledGet : Remedy::Poll;
}

} // namespace rdma
