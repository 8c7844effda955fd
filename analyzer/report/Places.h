// Which of the places of an inlined statement tells the user most.
#pragma once

#include "analyzer/core/Violation.h"

#include <optional>
#include <utility>
#include <vector>

namespace rdma {

/// Where two statements part ways: the places in the innermost function that both came through. Two requests
/// posted by one helper are told apart by where the helper was called. {First's, Second's}.
std::pair<Place, Place> placesOfPair(const Program &P, const EventRef &First, const EventRef &Second);

/// Where what is not known can be told: the innermost place that is no header's of the system.
Place placeToTell(const Site &Where);

/// The place in the thread's entry function.
Place outermostPlace(const Program &P, const EventRef &E);

/// The same places as numbers, for millions of pairs.
class PlaceNumbers {
public:
  explicit PlaceNumbers(const Program &P);
  /// Pairs of the same file, line and column have the same number.
  std::uint64_t ofPair(const EventRef &First, const EventRef &Second) const;

private:
  std::vector<std::vector<std::vector<unsigned>>> Chains; ///< per thread and statement
  std::vector<unsigned> Spots;                            ///< per number, that of its file, line and column
};

/// Polls on the ways between two statements of a thread.
class PollsBetween {
public:
  explicit PollsBetween(const Program &P) : P(P), Before(P.Threads.size()) {}
  /// A poll of First's completion queue on some way from First to Second.
  std::optional<Place> find(const EventRef &First, const EventRef &Second);

private:
  using Steps = std::vector<std::vector<StatementId>>;
  const Program &P;
  std::vector<Steps> Before; ///< per thread that was asked for
};

} // namespace rdma
