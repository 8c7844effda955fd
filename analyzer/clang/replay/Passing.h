// Numbers with which a replay passes the checks of its thread.
#pragma once

#include <llvm/IR/Instructions.h>

#include <map>
#include <optional>

namespace rdma::clang_ir {

/// What a parameter, a call or a load of what the thread was given is to be.
using ChosenNumber = std::pair<const llvm::Value *, std::uint64_t>;
using ChosenNumbers = std::map<const llvm::Value *, std::uint64_t>;

/// Such a value, and a number with which the branch goes to its first successor, or to its second one: of a
/// comparison of the value, or of a sum of it and a constant, with a constant. Where there are several, it is
/// the one that is rather had, or the one at the limit.
std::optional<ChosenNumber> passing(const llvm::BranchInst &Branch, bool First, std::uint64_t Rather);

} // namespace rdma::clang_ir
