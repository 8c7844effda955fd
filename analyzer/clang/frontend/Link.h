// One module from several: each variable of one file only keeps its file in its name, so that what is called
// the same in two files is two, whatever the order of the files.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

namespace rdma::clang_ir {

/// Throws InputError for a function or variable that two files define, with both places.
std::unique_ptr<llvm::Module> link(std::vector<std::unique_ptr<llvm::Module>> Units,
                                   const std::vector<std::string> &Files);

} // namespace rdma::clang_ir
