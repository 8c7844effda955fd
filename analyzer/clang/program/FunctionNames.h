// What the sources call a function, and where they have it.
#pragma once

#include <llvm/IR/Function.h>

#include <string>

namespace rdma::clang_ir {

/// Without scope and parameters; the symbol where the sources do not have it.
std::string sourceName(const llvm::Function &F);

/// "ns::Class::function", with the namespaces and classes it is in.
std::string qualifiedName(const llvm::Function &F);

/// May a user mean F by this name: without or with its scope, with its parameters, or behind the end of the
/// path of its file, as in "client.c:run"?
bool goesBy(const llvm::Function &F, const std::string &Name);

/// The shortest name by which no other function of its program goes.
std::string definiteName(const llvm::Function &F);

/// "FILE:LINE"; empty where the sources do not have it.
std::string placeOf(const llvm::Function &F);

} // namespace rdma::clang_ir
