// System calls by their number, where a program makes them by syscall().
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <cstdint>

namespace rdma::clang_ir {

/// Of SYS_futex: it sleeps until a word changes, which it only looks at, or wakes others, which touches
/// nothing. Other: any other call or operation, which may write.
enum class FutexUse { Other, Sleeps, Wakes };

/// The number of the call, and its third argument.
FutexUse futexUse(std::uint64_t Number, std::uint64_t Operation);
/// Of a call whose arguments are constants; Other: of any other one.
FutexUse futexUse(const llvm::CallBase &Call);

} // namespace rdma::clang_ir
