// What a function tests before it posts.
#pragma once

#include "rewriter/source/Named.h"

namespace rdma::source {

/// Does a function on the way from that of Chain[Level] to the post test whether there is a queue pair, or
/// something that leads to it, or a flag beside one? Then the name may lead nowhere at the slot, which that
/// test does not stand before. Without a slot, the functions further in are looked at only.
bool isGuarded(SourceFiles &Files, const std::vector<Place> &Chain, std::size_t Level, const Named &What,
               const std::optional<Slot> &At);

} // namespace rdma::source
