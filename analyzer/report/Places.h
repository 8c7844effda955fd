// Which of the places of an inlined statement tells the user most.
#pragma once

#include "analyzer/core/Violation.h"

#include <optional>
#include <utility>

namespace rdma {

/// Where two statements part ways: the places in the innermost function that both came through. Two requests
/// posted by one helper are told apart by where the helper was called. {First's, Second's}.
std::pair<Place, Place> placesOfPair(const Program &P, const EventRef &First, const EventRef &Second);

/// The place in the thread's entry function.
Place outermostPlace(const Program &P, const EventRef &E);

/// A poll of First's completion queue on some way from First to Second.
std::optional<Place> pollBetween(const Program &P, const EventRef &First, const EventRef &Second);

} // namespace rdma
