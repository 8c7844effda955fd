// Streams of the C++ library: whose code they run, and where they lead.
#pragma once

#include "analyzer/clang/api/ApiTable.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <optional>

namespace rdma::clang_ir {

/// Notes with a program, before anything is inlined, that its streams may do more than the library's do: it
/// has a class of stream, of buffer or of facet of its own, or one that the library has as a template
/// only (`std::spanbuf`, a `std::stringbuf` with an allocator), gives a stream a buffer of its own or another
/// stream's, ties one to another, or has itself called back.
void noteLedStreams(llvm::Module &Whole);
/// Has that been noted? Then the rows of streams do not hold.
bool ledElsewhere(const llvm::Module &Whole);

/// A row of a stream's function; its first argument is the stream, or a part of it.
bool isOfStream(const ApiRow &Row);

/// The bytes in which the library's stream lies that is known by such a class of its own: by the largest that
/// derives from it. Absent: it is no such class.
std::optional<std::int64_t> sizeOfStream(llvm::StringRef Class);
/// The same of a member function of the library's, by its symbol.
std::optional<std::int64_t> sizeOfStreamIn(llvm::StringRef Member);

/// A stream that writes to a string of its own, or reads from it.
bool isTextStream(const llvm::DIType *Type);

/// Standard input, output or errors, also as what an operation on one of them returns.
bool isStandardStream(const llvm::Value *Stream);

} // namespace rdma::clang_ir
