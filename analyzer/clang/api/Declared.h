// Who declares a function. A name alone says nothing: a program may have an ibv_write_buf() or a send() of
// its own.
#pragma once

#include "analyzer/clang/api/ApiTable.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstrTypes.h>

namespace rdma::clang_ir {

enum class Declarer {
  Verbs,    ///< libibverbs, librdmacm, or the runtime's rdma/order.h
  Standard, ///< the C and C++ libraries and the kernel's interface
  Library,  ///< another header of the system
  Program,  ///< the sources at hand or headers of theirs
};

Declarer declarerOf(const llvm::Function &F);
/// The place in the program's own text, or in another library's, that leads there through the standard
/// libraries' headers; null where the place is not known.
const llvm::DILocation *programPlace(const llvm::DILocation *At);
/// Who defines a type. One without a place is the compiler's.
Declarer declarerOf(const llvm::DIType &T);

/// Is it this structure of <infiniband/verbs.h>? That of another file of the program has a number behind its
/// name.
bool isOfVerbs(const llvm::StructType *T, llvm::StringRef Name);

/// Does the header that declares a function of the system have functions by which one thread may tell another
/// something? Headers of computing, of strings and of time have not.
bool mayCarryOrder(const llvm::Function &F);

/// May a function of the C++ library put a pointer that it is given into an object that it is given? That of
/// a stream to its buffer, say. Strings copy, and so do streams what they read and write.
bool mayLink(const llvm::Function &F);

/// The row of a function without a body by its symbol, whoever declares it; null where there is none, and
/// where the program leads the streams of the library elsewhere.
const ApiRow *apiOf(const llvm::Function &F);
/// The same, if it is declared by the library that the row means.
const ApiRow *rowOf(const llvm::Function &F);

/// The function that a call names, behind casts and aliases; null where it goes through a pointer.
const llvm::Function *calledFunction(const llvm::CallBase &Call);
/// Its row; null where there is none, or no such function.
const ApiRow *rowOf(const llvm::CallBase &Call);

/// Of rdma_wait_all_but(qp, count), the count; null for waits that leave nothing out.
const llvm::Value *leftOut(const llvm::CallBase &Wait);

} // namespace rdma::clang_ir
