// Which attributes a change of a queue pair's state must give, and which it may.
#pragma once

#include <infiniband/verbs.h>

namespace rdma::device {

/// Whether a queue pair of that type may be taken from one state to another with these attributes. Like the
/// kernel, it refuses attributes that have no meaning there.
bool mayChange(ibv_qp_type Type, ibv_qp_state From, ibv_qp_state To, int Mask);

} // namespace rdma::device
