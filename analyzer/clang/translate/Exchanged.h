// Which member of a struct an entry puts an address into, and which it takes a remote address from: what one
// side sends, the other may have received.
#pragma once

#include "analyzer/clang/memory/Pointers.h"

#include <map>
#include <set>

namespace rdma::clang_ir {

/// "struct info + 8": the member, wherever such a struct lies.
using MemberKey = std::string;

struct Exchanged {
  std::map<MemberKey, std::set<std::string>> Filled;   ///< with the address of this memory
  std::map<MemberKey, std::set<MemberKey>> CopiedFrom; ///< the value came out of another member
  std::map<std::string, std::set<MemberKey>> Taken;    ///< access path of a remote address
};

/// The member that a load or store touches; empty: none that is known.
MemberKey memberAt(const Pointer &Where);

/// Behind casts, and changes of the byte order: what was sent, as far as the other side knows it.
const llvm::Value *inHostOrder(const llvm::Value *V);

/// What the stores of one thread fill.
void seeStores(llvm::Function &F, Pointers &Where, Exchanged &Into);

/// The memory whose address the other side put where Path takes its own from.
std::set<std::string> memoryBehind(const std::string &Path, const Exchanged &Mine, const Exchanged &Other);

} // namespace rdma::clang_ir
