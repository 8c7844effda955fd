// Waits for several queue pairs at once.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// rdma_wait_all(2, a, b) of rdma/order.h becomes rdma_wait of `a`, then of `b`, and rdma_flush_all the same
/// with rdma_flush: behind the last of them all the same is complete. What it returns is zero when all of
/// them return zero. A call with a count that is not a constant stays as it is, a function like others.
void waitOneByOne(llvm::Module &M);

} // namespace rdma::clang_ir
