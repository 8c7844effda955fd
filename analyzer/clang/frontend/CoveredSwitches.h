// A `switch` without default over an enumeration, with a case for each of its enumerators: there the program
// means no other number to come by.
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <llvm/IR/Instructions.h>

#include <memory>
#include <set>
#include <string>
#include <tuple>

namespace rdma::clang_ir {

/// Their places: the file's name without its folder, line and column.
using CoveredSwitches = std::set<std::tuple<std::string, unsigned, unsigned>>;

/// Notes them when the sources have been parsed.
std::unique_ptr<clang::ASTConsumer> findCovered(CoveredSwitches &Found);

/// Marks what has become of them.
void markCovered(llvm::Module &Unit, const CoveredSwitches &Found);

bool isCovered(const llvm::SwitchInst &Switch);

} // namespace rdma::clang_ir
