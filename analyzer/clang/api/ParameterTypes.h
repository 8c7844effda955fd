// What the declaration of a function says of its parameters.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstrTypes.h>

#include <cstdint>
#include <optional>

namespace rdma::clang_ir {

/// The type of a parameter; null behind the last one, and where the declaration is not known.
const llvm::DIType *parameterType(const llvm::CallBase &Call, unsigned Argument);

/// What a type is behind typedefs and qualifiers; null: void.
struct Qualified {
  const llvm::DIType *Type;
  bool Const = false;
  llvm::StringRef Name = {}; ///< the first typedef's

  explicit Qualified(const llvm::DIType *T);
};

/// What the parameter points to; none when it is no pointer.
std::optional<Qualified> targetOf(const llvm::DIType *Parameter);

/// The type that an argument points to; null: it is no pointer, or that is not known, as of `void *`.
const llvm::DIType *pointedTo(const llvm::CallBase &Call, unsigned Argument);

/// Bytes. Synchronisation objects, times and streams come one at a time; of others there may be an array:
/// Unbounded.
std::int64_t sizeOfSingle(const Qualified &Q);

/// Does a library have memory of its own for objects of this type, which it makes?
bool isHandle(llvm::StringRef Type);

/// A list of pointers: argv, and what a program's environment is.
bool isList(const llvm::DIType *Parameter);

} // namespace rdma::clang_ir
