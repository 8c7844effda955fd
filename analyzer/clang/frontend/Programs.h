// Several programs in one module, as the processes of a system run them: what is called the same in two of
// them is two.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rdma::clang_ir {

/// The programs one beside the other. Throws InputError as link does.
std::unique_ptr<llvm::Module> beside(std::vector<std::unique_ptr<llvm::Module>> Programs);

/// The number of the program that has it; nothing where there is one program only.
std::optional<unsigned> programOf(const llvm::GlobalObject &Part);

/// Both are of one program.
inline bool isOf(const llvm::GlobalObject &Part, unsigned Program) {
  return programOf(Part).value_or(Program) == Program;
}

/// The `main` of a program.
bool isMain(const llvm::Function &F);

/// Is the `main` of this part's program here? Else what the sources leave out runs first.
bool hasMain(const llvm::GlobalObject &Part);

/// The symbol as the program has it.
std::string symbolOf(const llvm::GlobalObject &Part);

/// For each source with a `main`, by their numbers in Units: it, and what a linker would take from the others
/// for it. Nothing unless several have one.
std::vector<std::vector<std::size_t>> programsIn(const std::vector<std::unique_ptr<llvm::Module>> &Units);

} // namespace rdma::clang_ir
