// Fields that remote addresses are read from.
//
// A remote address is a number that another node has told. The topology names the memory it leads to by the
// field that holds it: what the field was given from outside, by set-up code, a call or the NIC. What the
// program itself stores there is followed, or the address is not known.
#pragma once

#include "analyzer/clang/memory/MemoryReader.h"
#include "analyzer/clang/program/Topology.h"

namespace rdma::clang_ir {

/// As one thread of a process sees them.
class RemoteFields {
public:
  RemoteFields(llvm::Function &F, Pointers &Where, const Topology &T, std::string Entry)
      : F(F), Where(Where), Memory(F, Where), T(T), Entry(std::move(Entry)) {}

  /// The path of the field that a part of an address was read from; empty: of none.
  std::string path(const llvm::Value *Leaf);
  std::vector<RemoteName> names(const llvm::Value *Leaf) { return T.regions(Entry, path(Leaf)); }
  /// The address as sums of fields and numbers, the fields that the thread fills replaced by what it stores.
  std::vector<Sum> sums(const llvm::Value *Address);

  /// What a field may hold: what it was given from outside, that plus a number, or something else.
  enum class Held { AsGiven, Moved, Unknown };
  /// As the stores of all threads make it of which it is not known which comes last.
  static Held heldIn(const llvm::LoadInst &Field, RemoteFields &Reader,
                     llvm::ArrayRef<std::unique_ptr<RemoteFields>> Process);

private:
  struct Asked {
    Pointer Place;
    std::string Path;
    std::vector<RemoteName> Names;
    const llvm::Instruction *Before; ///< null: at any time
  };
  void addSums(const llvm::Value *Address, std::vector<Sum> &All, unsigned Depth);
  Held stores(const Asked &Field);
  Held stored(const Asked &Field, const llvm::StoreInst &Store, const Pointer &Target);
  Held copied(const Asked &Field, const llvm::AnyMemTransferInst &Copy, const Pointer &Target);

  llvm::Function &F;
  Pointers &Where;
  MemoryReader Memory;
  const Topology &T;
  std::string Entry; ///< as the topology calls it
};

} // namespace rdma::clang_ir
