#include "analyzer/clang/memory/SymbolicAddress.h"

#include <llvm/ADT/MapVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

enum : unsigned { DeepestExpression = 8 };

/// The result is nothing but a function of the operands.
bool isArithmetic(const Value *V) { return isa<BinaryOperator>(V) || isa<CastInst>(V); }

/// Do two expressions have one value, when their leaves have?
bool sameValue(const Value *A, const Value *B, unsigned Depth) {
  if (A == B)
    return true;
  if (Depth > DeepestExpression || !isArithmetic(A) || !isArithmetic(B))
    return false;
  auto *X = cast<Instruction>(A), *Y = cast<Instruction>(B);
  return X->isSameOperationAs(Y) &&
         std::equal(X->op_begin(), X->op_end(), Y->op_begin(), Y->op_end(),
                    [&](const Use &P, const Use &Q) { return sameValue(P, Q, Depth + 1); });
}

void addLeaves(const Value *V, std::set<const Instruction *> &Leaves, std::set<const Value *> &Seen) {
  auto *I = dyn_cast<Instruction>(V);
  // What is on the stack stays where it is.
  if (auto *Variable = dyn_cast<AllocaInst>(V); !I || (Variable && Variable->isStaticAlloca()))
    return;
  if (!Seen.insert(V).second)
    return;
  if (!isArithmetic(I)) {
    Leaves.insert(I);
    return;
  }
  for (const Use &Operand : I->operands())
    addLeaves(Operand, Leaves, Seen);
}

} // namespace

SymbolicAddress symbolicAddress(const Value *Address, const DataLayout &Layout) {
  SymbolicAddress Sum{Address, {}, 0};
  while (auto *Gep = dyn_cast<GEPOperator>(Sum.Root)) {
    unsigned Bits = Layout.getIndexTypeSizeInBits(Gep->getType());
    MapVector<Value *, APInt> Indices;
    APInt Constant(Bits, 0);
    if (!Gep->getType()->isPointerTy() || !Gep->collectOffset(Layout, Bits, Indices, Constant))
      break;
    for (const auto &[Index, Stride] : Indices)
      Sum.Indices.push_back({Index, Stride.getSExtValue()});
    Sum.Offset += Constant.getSExtValue();
    Sum.Root = Gep->getPointerOperand();
  }
  return Sum;
}

std::optional<std::int64_t> distance(const SymbolicAddress &From, const SymbolicAddress &To) {
  auto Rest = To.Indices;
  if (From.Root != To.Root || From.Indices.size() != Rest.size())
    return std::nullopt;
  for (const auto &[Index, Stride] : From.Indices) {
    auto Same = std::find_if(Rest.begin(), Rest.end(), [&](const auto &Other) {
      return Other.second == Stride && sameValue(Other.first, Index, 0);
    });
    if (Same == Rest.end())
      return std::nullopt;
    Rest.erase(Same);
  }
  return To.Offset - From.Offset;
}

std::set<const Instruction *> leavesOf(const SymbolicAddress &Address) {
  std::set<const Instruction *> Leaves;
  std::set<const Value *> Seen;
  addLeaves(Address.Root, Leaves, Seen);
  for (const auto &[Index, Stride] : Address.Indices)
    addLeaves(Index, Leaves, Seen);
  return Leaves;
}

} // namespace rdma::clang_ir
