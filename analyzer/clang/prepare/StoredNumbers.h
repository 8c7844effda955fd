// Which numbers a variable may hold: where its address goes nowhere that is not seen, these are what it
// begins with and what is stored in it, by whomever and whenever.
#pragma once

#include <llvm/IR/Module.h>

#include <functional>

namespace rdma::clang_ir {

/// Loads of variables in which all of the module stores nothing but a few constants: said as range metadata,
/// and where it is one constant, in place of the load's result. The loads stay.
///
/// What constructors of global objects store for certain is there before anything else runs; elsewhere what
/// is stored comes to what the variable is initialised with.
///
/// Reached: may other nodes write the variable?
void noteStoredNumbers(llvm::Module &M, llvm::function_ref<bool(const llvm::GlobalVariable &)> Reached);

} // namespace rdma::clang_ir
