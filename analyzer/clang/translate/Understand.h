// What an instruction is to the translation, decided in one place. The default is Unknown: it withholds
// *robust*.
#pragma once

#include <llvm/IR/InstVisitor.h>

namespace rdma::clang_ir {

enum class Meaning {
  Nothing,    ///< touches no memory, transfers control only along edges of the graph, orders nothing
  Translated, ///< the translation has a case for it
  Unknown,
};

class Understand : public llvm::InstVisitor<Understand, Meaning> {
public:
  // Whatever is not named below.
  Meaning visitInstruction(llvm::Instruction &) { return Meaning::Unknown; }

  // Values from values.
  Meaning visitUnaryOperator(llvm::UnaryOperator &) { return Meaning::Nothing; }
  Meaning visitBinaryOperator(llvm::BinaryOperator &) { return Meaning::Nothing; }
  Meaning visitCastInst(llvm::CastInst &) { return Meaning::Nothing; }
  Meaning visitCmpInst(llvm::CmpInst &) { return Meaning::Nothing; }
  Meaning visitPHINode(llvm::PHINode &) { return Meaning::Nothing; }
  Meaning visitSelectInst(llvm::SelectInst &) { return Meaning::Nothing; }
  Meaning visitFreezeInst(llvm::FreezeInst &) { return Meaning::Nothing; }
  Meaning visitGetElementPtrInst(llvm::GetElementPtrInst &) { return Meaning::Nothing; }
  Meaning visitExtractElementInst(llvm::ExtractElementInst &) { return Meaning::Nothing; }
  Meaning visitInsertElementInst(llvm::InsertElementInst &) { return Meaning::Nothing; }
  Meaning visitShuffleVectorInst(llvm::ShuffleVectorInst &) { return Meaning::Nothing; }
  Meaning visitExtractValueInst(llvm::ExtractValueInst &) { return Meaning::Nothing; }
  Meaning visitInsertValueInst(llvm::InsertValueInst &) { return Meaning::Nothing; }
  Meaning visitAllocaInst(llvm::AllocaInst &) { return Meaning::Nothing; }

  // Control along the edges of the graph.
  Meaning visitBranchInst(llvm::BranchInst &) { return Meaning::Nothing; }
  Meaning visitSwitchInst(llvm::SwitchInst &) { return Meaning::Nothing; }
  Meaning visitIndirectBrInst(llvm::IndirectBrInst &) { return Meaning::Nothing; }
  Meaning visitReturnInst(llvm::ReturnInst &) { return Meaning::Nothing; }
  Meaning visitUnreachableInst(llvm::UnreachableInst &) { return Meaning::Nothing; }
  Meaning visitResumeInst(llvm::ResumeInst &) { return Meaning::Nothing; }
  Meaning visitLandingPadInst(llvm::LandingPadInst &) { return Meaning::Nothing; }

  // Memory and order.
  Meaning visitLoadInst(llvm::LoadInst &I);
  Meaning visitStoreInst(llvm::StoreInst &I);
  Meaning visitAtomicCmpXchgInst(llvm::AtomicCmpXchgInst &I);
  Meaning visitAtomicRMWInst(llvm::AtomicRMWInst &I);
  Meaning visitFenceInst(llvm::FenceInst &) { return Meaning::Translated; }

  // Calls: functions are looked up in the table, which has a default of its own; asm goto is not known.
  Meaning visitCallBrInst(llvm::CallBrInst &) { return Meaning::Unknown; }
  Meaning visitCallBase(llvm::CallBase &I);
  Meaning visitIntrinsicInst(llvm::IntrinsicInst &I);
};

/// What inline assembly does, as far as its text is known.
enum class Assembly { Nothing, Fence, Unknown };
Assembly understandAssembly(llvm::StringRef Text);

} // namespace rdma::clang_ir
