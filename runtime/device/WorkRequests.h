// The ibv_wr_* calls: requests are built between ibv_wr_start and ibv_wr_complete, and posted together or not
// at all.
#pragma once

#include "runtime/device/QueuePair.h"

namespace rdma::device {

/// What is being built on a queue pair that was created with send_ops_flags.
struct RequestBatch {
  std::mutex Section; ///< held from start to complete or abort
  std::vector<Request> Requests;
  int Error = 0; ///< of the first call that went wrong; the whole batch fails with it
};

/// ibv_create_qp_ex(3).
ibv_qp *createExtended(ibv_context *Public, ibv_qp_init_attr_ex *Init);

} // namespace rdma::device
