// Says why a peer cannot be reached, when a request has waited for it in vain.
#pragma once

#include "runtime/device/QueuePair.h"

namespace rdma::device {

/// One line on standard error, once for each peer: it is on another fabric, another user's, nowhere in this
/// network namespace, not connected to this queue pair, or counts its
/// packets otherwise.
void explainUnreachable(QueuePair &Qp);

} // namespace rdma::device
