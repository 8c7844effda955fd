// What the topology calls a queue pair, as an expression of the source.
#pragma once

#include "rewriter/source/Carriers.h"

#include <string>

namespace rdma::source {

struct Path {
  std::string Text; ///< `keeper->qp` where the topology says `keeper.qp`
  clang::QualType Of;
  const clang::VarDecl *Root = nullptr;
  Carriers Through; ///< the pointers among them
};

/// Where every part of it can be named: a variable, members, elements with a number.
std::optional<Path> pathAt(const Syntax &S, llvm::StringRef Name, const Slot &At);

/// Is a value of the type more than numbers?
bool mayKeepPointer(clang::QualType Of);

/// Requests are posted on a queue pair, its extended form, or an identifier of librdmacm: what of it
/// rdma_wait takes.
std::string queuePairOf(const std::string &Name, clang::QualType Of);

} // namespace rdma::source
