#include "analyzer/clang/frontend/BlockScope.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

using namespace llvm;

static constexpr const char *Mark = "rdma.block";

/// A compound literal, or what may have the name of a variable: clang says nothing else of one that is
/// declared where no way leads, in front of the first case.
static bool livesWithBlock(StringRef Name) {
  if (Name.starts_with(".compoundliteral"))
    return true;
  auto ofIdentifier = [](char C) { return isAlnum(C) || C == '_'; };
  return !Name.empty() && all_of(Name, ofIdentifier) && !Name.starts_with("tmp") &&
         !Name.starts_with("temp") && !Name.starts_with("coerce");
}

void markBlockScope(Module &Unit) {
  LLVMContext &Context = Unit.getContext();
  for (Function &F : Unit) {
    for (Instruction &I : instructions(F))
      if (isa<AllocaInst>(I) && livesWithBlock(I.getName()))
        I.setMetadata(Mark, MDNode::get(Context, {}));
    for (Argument &A : F.args())
      A.setName("");
    for (BasicBlock &Block : F) {
      Block.setName("");
      for (Instruction &I : Block)
        I.setName("");
    }
  }
  Context.setDiscardValueNames(true);
}

bool hasBlockScope(const Instruction &Variable) { return Variable.hasMetadata(Mark); }

} // namespace rdma::clang_ir
