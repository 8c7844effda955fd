#include "analyzer/clang/prepare/CaughtExceptions.h"

namespace rdma::clang_ir {

using namespace llvm;

void declareWhat(Module &M) {
  if (M.getFunction("__cxa_begin_catch"))
    M.getOrInsertFunction(WhatOfLibrary, PointerType::getUnqual(M.getContext()),
                          PointerType::getUnqual(M.getContext()));
}

void callMessageByName(Module &M) {
  Function *Message = M.getFunction("_ZNKSt10error_code7messageB5cxx11Ev");
  const bool Own = any_of(M, [](const Function &F) {
    return F.getName().contains("7messageB5cxx11Ei") && !F.getName().starts_with("_ZNKSt");
  });
  if (Message && !Own)
    Message->deleteBody();
}

} // namespace rdma::clang_ir
