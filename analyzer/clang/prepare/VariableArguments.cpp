#include "analyzer/clang/prepare/VariableArguments.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/TargetParser/Triple.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

// The va_list of the System V ABI for x86-64: what registers held has been read up to here, ...
constexpr unsigned IntegersRead = 48, FloatsRead = 176;
// ... and what is left lies in memory. Offsets of its members.
constexpr unsigned Integers = 0, Floats = 4, Overflow = 8, Registers = 16;

std::vector<VAStartInst *> startsIn(Function &F) {
  std::vector<VAStartInst *> All;
  for (Instruction &I : instructions(F))
    if (auto *Start = dyn_cast<VAStartInst>(&I))
      All.push_back(Start);
  return All;
}

struct Slot {
  Type *Held;
  std::uint64_t Offset, Size;
};

/// Where each argument beyond the parameters lies; the last slot is the end.
std::vector<Slot> slotsOf(const CallBase &Call, const Function &Callee) {
  const DataLayout &Layout = Callee.getParent()->getDataLayout();
  std::vector<Slot> All;
  std::uint64_t End = 0;
  for (unsigned A = Callee.arg_size(); A < Call.arg_size(); ++A) {
    bool ByValue = Call.isByValArgument(A);
    Type *Held = ByValue ? Call.getParamByValType(A) : Call.getArgOperand(A)->getType();
    Align At = ByValue ? Call.getParamAlign(A).valueOrOne() : Layout.getABITypeAlign(Held);
    End = alignTo(End, std::max(At, Align(8)));
    std::uint64_t Size = Layout.getTypeAllocSize(Held);
    All.push_back({Held, End, Size});
    End += alignTo(Size, Align(8));
  }
  All.push_back({nullptr, End, 0});
  return All;
}

} // namespace

VariableArguments::VariableArguments(CallBase &Call) : Caller(*Call.getFunction()) {
  Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isVarArg() || startsIn(*Callee).empty() ||
      Triple(Callee->getParent()->getTargetTriple()).getArch() != Triple::x86_64)
    return;
  for (const VAStartInst *Start : startsIn(Caller))
    Own.push_back(Start);
  std::vector<Slot> Slots = slotsOf(Call, *Callee);
  IRBuilder<> Entry(&*Caller.getEntryBlock().getFirstInsertionPt());
  auto *Type = ArrayType::get(Entry.getInt8Ty(), std::max<std::uint64_t>(Slots.back().Offset, 8));
  auto *Memory = Entry.CreateAlloca(Type, nullptr, "arguments");
  Memory->setAlignment(Align(16));
  IRBuilder<> Before(&Call);
  for (std::size_t S = 0; S + 1 < Slots.size(); ++S) {
    unsigned A = Callee->arg_size() + S;
    Value *At = Before.CreateConstInBoundsGEP1_64(Before.getInt8Ty(), Memory, Slots[S].Offset);
    if (Call.isByValArgument(A))
      Before.CreateMemCpy(At, Align(8), Call.getArgOperand(A), Call.getParamAlign(A), Slots[S].Size);
    else
      Before.CreateStore(Call.getArgOperand(A), At);
  }
  Given = Memory;
}

void VariableArguments::inlined() {
  if (!Given)
    return;
  for (VAStartInst *Start : startsIn(Caller)) {
    if (is_contained(Own, Start))
      continue;
    IRBuilder<> Here(Start);
    auto set = [&](unsigned Offset, Value *To) {
      Here.CreateStore(To, Here.CreateConstInBoundsGEP1_64(Here.getInt8Ty(), Start->getArgList(), Offset));
    };
    set(Integers, Here.getInt32(IntegersRead));
    set(Floats, Here.getInt32(FloatsRead));
    set(Overflow, Given);
    set(Registers, ConstantPointerNull::get(Here.getPtrTy()));
    Start->eraseFromParent();
  }
}

} // namespace rdma::clang_ir
