#include "analyzer/core/Network.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>

namespace rdma {

std::vector<Link> links(const Analysis &A, bool PublicOnly) {
  std::vector<Link> Links;
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T) {
    std::set<QueuePairId> Seen;
    for (EventId E : A.Threads[T].Order) {
      const Event &Here = A.Threads[T].Events[E];
      if (Here.Joins || !isNic(Here.Ref.Kind) || Here.Ref.Kind == EventKind::nF ||
          (PublicOnly && !A.Public[T][E]))
        continue;
      if (Seen.insert(Here.Ref.Pair).second)
        Links.push_back({T, A.Code.Threads[T].Home, A.Code.QueuePairs[Here.Ref.Pair].Target, Here.Ref});
    }
  }
  return Links;
}

std::vector<unsigned> components(const Analysis &A, const std::vector<Link> &Links, ThreadIndex Without) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS>;
  Graph G(A.Code.Nodes.size());
  for (const Link &L : Links)
    if (L.Thread != Without)
      boost::add_edge(L.From, L.To, G);
  std::vector<unsigned> Component(A.Code.Nodes.size());
  boost::connected_components(G, Component.data());
  return Component;
}

bool standsForMany(const Program &P, NodeId N) {
  bool Many = false, Runs = false;
  for (const Thread &T : P.Threads) {
    Runs |= T.Home == N;
    Many |= T.Home == N && T.Many;
  }
  // Where no thread runs, any of a kind's nodes in the program may be any of those there are.
  return Runs ? Many : P.Nodes[N].Count != 1 && P.Nodes[N].Count != 2;
}

} // namespace rdma
