// Pairs of accesses of one thread that gb leaves open, of those that some condition asks for.
#pragma once

#include "analyzer/core/Locations.h"
#include "analyzer/core/OrderClasses.h"

#include <functional>

namespace rdma {

/// Two events of one thread, the later after the earlier on some path, in no guaranteed order on some path.
struct OpenPair {
  EventId Earlier, Later;
  bool operator==(const OpenPair &) const = default;
};

/// Do two accesses touch a common byte, one of them writing it?
inline bool conflict(const Program &P, const EventRef &A, const EventRef &B) {
  // A WRITE that is acknowledged reaches memory whether or not it is still registered.
  bool Arrives = A.Kind == EventKind::nrW || A.Kind == EventKind::narW;
  return (writes(A.Kind) || writes(B.Kind)) && mayOverlap(P, A.Location, B.Location) &&
         !(Arrives && P.Threads[B.Thread].Statements[B.Statement].Op.Deregisters);
}

/// Which pairs are asked for. A group is a number that accesses share whose order others may need.
struct Asked {
  bool Conflicts = true; ///< overlapping accesses, one of them a write
  /// Public accesses, in the same group. Per event; None: private. Empty: not asked.
  std::vector<unsigned> Groups = {};
  bool ReadThenRemote = false; ///< a remote read and a later remote access of its queue pair
  bool HowMany = false;        ///< OpenPairs::Reached
};

struct OpenPairs {
  std::vector<OpenPair> Pairs; ///< in the order of the earlier, then of the later, in the thread
  std::uint64_t Count = 0;     ///< all that gb leaves open, asked for or not
  std::uint64_t Reached =
      0; ///< if asked for: all pairs of accesses of which the later can come after the earlier
};

OpenPairs openPairs(const Program &P, const EventGraph &G, const Locations &Where, Model M,
                    const Asked &What);

} // namespace rdma
