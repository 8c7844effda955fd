// Functions that a program chooses by a pointer: one kept in a variable or a container, one of a table of
// virtual functions, one in a std::function.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>

#include <functional>
#include <vector>

namespace rdma::clang_ir {

/// The table of a class's virtual functions.
bool isVirtualTable(const llvm::GlobalVariable &Table);

/// The functions that the calls through pointers below Main choose from, where nothing else below it is of
/// this kind; empty where that is not so, or there are less than two. Below: what Main and the constructors
/// of its program's global objects call by name. Of one that a library made around a function of the program,
/// and of a lambda that does nothing of this kind itself, what it calls. IsWork: does the function do work,
/// or name one that does? Does: the call itself is work, or starts a thread.
std::vector<llvm::Function *> chosenByPointer(llvm::Function &Main,
                                              const std::function<bool(const llvm::Function &)> &IsWork,
                                              const std::function<bool(const llvm::CallBase &)> &Does);

} // namespace rdma::clang_ir
