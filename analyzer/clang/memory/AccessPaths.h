// Names of things as the programmer wrote them, from debug information.
#pragma once

#include "ir/Program.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Value.h>

#include <optional>
#include <string>
#include <vector>

namespace rdma::clang_ir {

/// A variable (or a part of one) and its type. Type may be null.
struct Named {
  std::string Path;
  const llvm::DIType *Type = nullptr;
};

/// Without typedefs and qualifiers.
const llvm::DIType *strip(const llvm::DIType *Type);
/// One text for one type in all files of a program, also of one without a name.
std::string spelt(const llvm::DIType *Type);
/// What a pointer or reference type points to, or null.
const llvm::DIType *pointee(const llvm::DIType *Type);
/// Is it a pointer of which the program says that no other leads to the same memory?
bool isRestrict(const llvm::DIType *Type);
/// The member of a struct there.
bool restrictAt(const llvm::DIType *Struct, std::int64_t Offset);
/// In bytes, when it is known.
std::optional<std::int64_t> sizeOf(const llvm::DIType *Type);

/// A power of two that divides the addresses of all objects of the type; 1: none is known.
std::uint64_t alignmentOf(const llvm::DIType *Type);

/// Numbers, and structs and arrays of such, or nothing that is known: memory that buffers are made of,
/// whatever type each pointer to it has.
bool isPlainData(const llvm::DIType *Type);

/// Of a struct, what each object of it holds: members and bases.
std::vector<const llvm::DIDerivedType *> membersOf(const llvm::DICompositeType &Struct);

/// The member of a struct, or of one that it inherits from, that holds these bytes; null: none.
const llvm::DIDerivedType *memberAt(const llvm::DICompositeType *Struct, std::int64_t Offset,
                                    std::int64_t Size);

/// Where the array begins that ends a struct: what is allocated behind the struct belongs to it. Nothing: the
/// struct ends otherwise.
std::optional<std::int64_t> lastArrayIn(const llvm::DIType *Struct);

/// The part of an object of type Type at byte Offset: Path with the members and indices appended, down to a
/// part of Size bytes (Size 0: the smallest part). Indirect: Path is a pointer to the object. An array whose
/// element size is among Strides gets [*] for its index.
Named partOf(const Named &Object, bool Indirect, std::int64_t Offset, std::int64_t Size,
             const std::vector<std::int64_t> &Strides = {});

/// Bytes of an object.
struct Stretch {
  std::int64_t Begin = 0, Size = 0;
};

/// What a path such as .slots[2].key, or none, names in an object of this type. Nothing where it names no
/// part.
std::optional<Stretch> stretchOf(const llvm::DIType *Type, llvm::StringRef Path);

/// The variable an alloca, a global or an SSA value stands for. Of several, as after inlining, the outermost.
std::optional<Named> variableOf(const llvm::Value *V);

/// The members of a struct with their byte ranges, nested ones too; "object.member".
std::vector<Field> fieldsOf(const Named &Object, bool Indirect);

/// The source place of an instruction with the chain of calls it was inlined at.
Site siteOf(const llvm::DebugLoc &Where);
/// Where a function is declared or defined.
Site siteOf(const llvm::Function &F);

} // namespace rdma::clang_ir
