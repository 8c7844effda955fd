// What is known to come after an earlier event, at one point of its thread.
//
// A fact says which kinds of event, on which queue pair, the earlier event is guaranteed before if they stand
// here, and after how many more polls at the latest it is past. Many earlier events share a fact.
#pragma once

#include "ir/Orders.h"
#include "ir/Program.h"

#include <unordered_map>
#include <vector>

namespace rdma {

constexpr std::uint32_t bit(EventKind K) { return 1u << static_cast<unsigned>(K); }
inline constexpr std::uint32_t CpuKinds = bit(EventKind::nlR) - 1;
inline constexpr std::uint32_t NicKinds = (1u << NumEventKinds) - 1 - CpuKinds;

/// No number of polls is enough.
inline constexpr unsigned Unbounded = ~0u;

/// The part of a fact that speaks of one queue pair.
struct PairFact {
  unsigned Pair;                ///< index among the thread's queue pairs
  std::uint32_t Nic = 0;        ///< kinds of this queue pair that come after it
  bool Delivers = false;        ///< a delivery of this queue pair is after it
  bool Completes = false;       ///< the completion of some request posted so far says that it is past
  bool AwaitsSignal = false;    ///< that request is unsignaled, and no later one has been signalled yet
  unsigned Pending = Unbounded; ///< at the latest this poll from here on is past, counted from 1
  bool operator==(const PairFact &) const = default;
};

struct Fact {
  std::uint32_t Cpu = 0;            ///< kinds of the CPU that come after it
  bool EveryPair = false;           ///< every kind of every queue pair does
  std::vector<PairFact> Pairs = {}; ///< by index; a queue pair that is not there is one with nothing known
  /// Sorted, one for each request that says by its completion that it is past: work identifiers.
  std::vector<WorkId> Ids = {};
  bool operator==(const Fact &) const = default;

  /// Whatever comes from here on comes after it: nothing more can be learned.
  bool everything() const { return Cpu == CpuKinds && EveryPair; }
  void becomeEverything() { *this = {CpuKinds, true}; }
  PairFact *find(unsigned Pair);
  PairFact &at(unsigned Pair);
  /// What both say; not for facts that are everything.
  Fact meet(const Fact &Other) const;
};

/// The rows of the table of preserved order, as sets of kinds; NIC kinds hold on the same queue pair, or on
/// every one.
struct OrderRow {
  std::uint32_t Cpu = 0, Nic = 0;
  bool EveryPair = false;
};
OrderRow orderRow(Model M, EventKind Earlier);

using FactId = unsigned;

/// Facts by number, equal ones the same.
class FactTable {
public:
  FactId id(const Fact &F);
  const Fact &operator[](FactId Id) const { return *Facts[Id]; }
  FactId meet(FactId A, FactId B);

private:
  struct Hash {
    std::size_t operator()(const Fact &F) const;
  };
  std::unordered_map<Fact, FactId, Hash> Ids;
  std::vector<const Fact *> Facts;
  std::unordered_map<std::uint64_t, FactId> Meets;
};

} // namespace rdma
