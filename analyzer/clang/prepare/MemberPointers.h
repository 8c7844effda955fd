// Pointers to member functions, as the C++ ABI lays them out.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// A pointer to a member function is a pair: the address of the function, or an odd number that says where a
/// virtual one is found, and what is added to the object. Where the module makes no pair that is odd, calls
/// through one go to the function that it names, and where none adds anything, with the object as it is: what
/// comes from code outside the module is not known in any case. Pairs are then loaded and stored as two
/// numbers. For units as the front end leaves them, before any pass.
void callMembersDirectly(llvm::Module &M);

} // namespace rdma::clang_ir
