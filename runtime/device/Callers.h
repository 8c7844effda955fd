// Who has called the device: for the reports of --check, which keeps the place of each request.
#pragma once

#include <cstdint>
#include <vector>

namespace rdma::device::check {

/// Return addresses, innermost first, without those of the device.
struct Stack : std::vector<void *> {
  using vector::vector;
  mutable uint64_t Weight = 0; ///< of the requests that were posted there so far
};

/// Of the calling thread, now. Kept for ever: programs post from few places.
const Stack &callers();

} // namespace rdma::device::check
