#include "analyzer/core/Conditions.h"
#include "analyzer/core/Network.h"

namespace rdma {

std::vector<Violation> unfencedPairs(const Analysis &A) {
  std::vector<Violation> Unfenced;
  std::vector<Link> Links = links(A, true);
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T) {
    std::vector<unsigned> Component = components(A, Links, T);
    auto Where = [&](EventId E) { return Component[A.Code.Objects[A.ref(T, E).Location.Target].Home]; };
    for (const OpenPair &Pair : A.Open[T]) {
      bool Public = A.Public[T][Pair.Earlier] && A.Public[T][Pair.Later];
      if (Public && (A.Code.OpenWorld || Where(Pair.Earlier) == Where(Pair.Later)))
        Unfenced.push_back(A.violation(Rule::Fenced, T, Pair));
    }
  }
  return Unfenced;
}

} // namespace rdma
