// What exceptions and error codes of the standard library say of themselves.
#pragma once

#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

/// std::exception::what().
inline constexpr llvm::StringLiteral WhatOfLibrary = "_ZNKSt9exception4whatEv";
/// Its place in the table of a class that derives from std::exception, behind the two destructors.
inline constexpr unsigned SlotOfWhat = 2;

/// What a library throws is an object of its own, of which only this is virtual that anybody calls: the table
/// of such an object leads there (memory/BlockContents.cpp). Where something is caught, the module has it by
/// name.
void declareWhat(llvm::Module &M);

/// The message of an error code is a virtual function of its category, an object of the library, whose table
/// nobody sees. Where the module overrides it nowhere, what asks for it is called by its name alone, as if it
/// had no body.
void callMessageByName(llvm::Module &M);

} // namespace rdma::clang_ir
