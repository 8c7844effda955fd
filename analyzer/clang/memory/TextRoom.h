// How far text reaches.
//
// A std::string keeps short text in itself: whoever moves through what may be that buffer by an index that is
// not known, or copies a length that is not known, would reach whatever lies behind the string in its object,
// pointers to queue pairs included. What the C++ library does with a string's own characters stays in the
// array that they are in.
#pragma once

#include "analyzer/clang/memory/Origin.h"

#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

/// The bytes of a string's own buffer in its block: the first one, and the one behind the last.
struct TextRoom {
  std::int64_t Begin = 0, End = 0;
};

/// The buffer that the C++ library's string code is in with this pointer, and does not leave by arithmetic;
/// none: it is other code, or the pointer leads elsewhere. A string ends with a 0, so that its end is in the
/// buffer, too.
std::optional<TextRoom> textRoom(const llvm::User &Step, const Pointer &At);

/// The bytes that a memcpy, memmove or memset writes from this one of its targets on, at most; Unbounded: as
/// far as is known. Where the C++ library moves text, and the target is in a string's own buffer, to its end.
std::int64_t mostWritten(const llvm::AnyMemIntrinsic &Move, const Pointer &To);

} // namespace rdma::clang_ir
