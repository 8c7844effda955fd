// Requests that are built by calls, from ibv_wr_start to ibv_wr_complete. Private to the source library.
#pragma once

#include "rewriter/source/Syntax.h"

namespace rdma::source {

/// The calls that begin the requests which the ibv_wr_complete at the place posts, `ibv_wr_rdma_write(qpx,
/// ...)`, in the order in which its function makes them, or functions of the same file that it calls. Empty
/// where a loop or a branch may make them, or none: which they are is not known then.
std::vector<const clang::CallExpr *> requestsBegunFor(const Syntax &S, const Place &Complete);

/// What the flags are set to, `qpx->wr_flags = ...;`, right before the slot, where the request is begun by
/// this call.
const clang::Expr *builderFlagsAbove(const Syntax &S, const Slot &At, const clang::CallExpr *Begin);

} // namespace rdma::source
