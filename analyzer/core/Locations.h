// The memory that a program's events access, as numbered ranges of bytes: which of them overlap, and which
// threads can meet there.
#pragma once

#include "analyzer/core/EventGraph.h"

namespace rdma {

using LocationId = unsigned;

class Locations {
public:
  Locations(const Program &P, const std::vector<EventGraph> &Threads);

  /// None for events that access no memory.
  LocationId of(ThreadIndex T, EventId E) const { return ByEvent[T][E]; }
  std::size_t size() const { return Ranges.size(); }
  const Access &operator[](LocationId L) const { return Ranges[L]; }
  /// Locations that may share a byte with this one, itself included.
  const std::vector<LocationId> &overlapping(LocationId L) const;
  /// May another thread, or another copy of this one, touch a byte of it?
  bool sharedWithOthers(ThreadIndex T, LocationId L) const { return P.Threads[T].Many || usedByOthers(T, L); }
  /// May another thread of the program?
  bool usedByOthers(ThreadIndex T, LocationId L) const;

private:
  /// Which threads access a location: none, one, or several.
  struct Users {
    ThreadIndex One = None;
    bool Several = false;
    void add(ThreadIndex T) {
      Several |= One != None && One != T;
      One = T;
    }
  };
  const Users &usersAround(LocationId L) const;

  const Program &P;
  std::vector<Access> Ranges;
  std::vector<std::vector<LocationId>> ByEvent, ByObject, ByNode; ///< ByObject: by where they begin
  std::vector<Users> Direct;
  mutable std::vector<std::vector<LocationId>> Overlaps; ///< empty: not asked yet
  mutable std::vector<Users> Around;
};

} // namespace rdma
