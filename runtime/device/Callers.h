// Who has called the device: for the reports of --check, which keeps the place of each request.
#pragma once

#include <vector>

namespace rdma::device::check {

/// Return addresses, innermost first, without those of the device.
using Stack = std::vector<void *>;

/// Of the calling thread, now. Kept for ever: programs post from few places.
const Stack &callers();

} // namespace rdma::device::check
