#include "analyzer/core/Conditions.h"
#include "analyzer/core/Network.h"

#include <boost/pending/disjoint_sets.hpp>

namespace rdma {
namespace {

Violation at(const EventRef &E) { return {Rule::TreeFenced, E, E, {}, false}; }

/// Def. 9 (1): what the NIC reads and writes locally is private.
void localSides(const Analysis &A, std::vector<Violation> &Out) {
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T)
    for (EventId E : A.Threads[T].Order) {
      const EventRef &Ref = A.ref(T, E);
      bool Local = Ref.Kind == EventKind::nlR || Ref.Kind == EventKind::nlW;
      if (!A.Threads[T].Events[E].Joins && Local && A.Public[T][E])
        Out.push_back(at(Ref));
    }
}

/// Def. 9 (2): a fence or a poll between a get and the next remote access of its queue pair. Def. 14: a fence
/// between a public store and a later public load. Both are what gb leaves open among such pairs. One of each
/// thread says that the condition fails; large programs have millions.
void pairs(const Analysis &A, std::vector<Violation> &Out) {
  using enum EventKind;
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T)
    for (const OpenPair &Pair : A.Open[T]) {
      const EventRef &Earlier = A.ref(T, Pair.Earlier), &Later = A.ref(T, Pair.Later);
      bool Get = Earlier.Kind == nrR && isRemote(Later.Kind) && Earlier.Pair == Later.Pair;
      bool Store =
          Earlier.Kind == lW && Later.Kind == lR && A.Public[T][Pair.Earlier] && A.Public[T][Pair.Later];
      if (Get || Store) {
        Violations One(Rule::TreeFenced, A.Numbers);
        One.add(A.numbered(T, Pair));
        Out.push_back(One.front());
        break;
      }
    }
}

/// Def. 9 (3): one path at most between any two nodes. A link that joins two nodes already joined closes a
/// cycle, be it one of many nodes, of queue pairs in both directions, of two queue pairs of one thread
/// or of two, or a loopback.
void paths(const Analysis &A, std::vector<Violation> &Out) {
  std::vector<NodeId> Rank(A.Code.Nodes.size()), Parent(A.Code.Nodes.size());
  boost::disjoint_sets Joined(Rank.data(), Parent.data());
  for (NodeId N = 0; N < A.Code.Nodes.size(); ++N)
    Joined.make_set(N);
  for (const Link &L : links(A, false)) {
    if (Joined.find_set(L.From) == Joined.find_set(L.To))
      Out.push_back(at(L.First));
    else
      Joined.union_set(L.From, L.To);
  }
}

} // namespace

std::vector<Violation> untreedPlaces(const Analysis &A) {
  std::vector<Violation> Out;
  localSides(A, Out);
  pairs(A, Out);
  paths(A, Out);
  // What other nodes do is not known.
  if (A.Code.OpenWorld)
    for (const Link &L : links(A, false))
      Out.push_back(at(L.First));
  return Out;
}

} // namespace rdma
