// A computation in a process of its own, so that a crash is a result.
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace rdma::test {

/// What Compute returns; nothing when it crashes or takes longer than Seconds.
std::optional<std::string> apart(const std::function<std::string()> &Compute, unsigned Seconds);

} // namespace rdma::test
