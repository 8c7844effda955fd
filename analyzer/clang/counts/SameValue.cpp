#include "analyzer/clang/counts/SameValue.h"
#include "analyzer/clang/counts/SetBefore.h"

#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/Kin.h"
#include "analyzer/clang/memory/SymbolicAddress.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// What a call of verbs works on is the library's own.
bool isLibraryObject(const CallBase &Call, const Use &U) {
  return U.getOperandNo() == 0 && Call.getCalledFunction() &&
         (Call.getCalledFunction()->getName().starts_with("ibv_") ||
          Call.getCalledFunction()->getName().starts_with("rdma_"));
}

bool mayWrite(const CountedThread &T, const Instruction &I, const PointerSet &Places) {
  auto meets = [&](const Value *To, std::int64_t Size) {
    return any_of(T.Where.resolve(To), [&](const Pointer &Q) {
      return !Q.Base->named() || any_of(Places, [&](const Pointer &At) { return mayShare(At, 8, Q, Size); });
    });
  };
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return meets(Store->getPointerOperand(),
                 T.F.getParent()->getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType()));
  if (!I.mayWriteToMemory())
    return false;
  if (auto *Call = dyn_cast<CallBase>(&I)) {
    if (auto *Known = dyn_cast<IntrinsicInst>(Call); Known && Known->isAssumeLikeIntrinsic())
      return false;
    const ApiRow *Row = isa<IntrinsicInst>(Call) ? nullptr : rowOf(*Call);
    if (!Row && !isa<AnyMemIntrinsic>(Call))
      return true;
    return any_of(Call->args(), [&](const Use &U) {
      return U->getType()->isPointerTy() && !isLibraryObject(*Call, U) && meets(U, Unbounded);
    });
  }
  return any_of(I.operands(),
                [&](const Use &U) { return U->getType()->isPointerTy() && meets(U, Unbounded); });
}

enum : unsigned { DeepestName = 8 };

/// May what the load finds be another where the second place finds it, or the other way round?
bool changes(const CountedThread &T, const LoadInst &First, const Instruction &Second) {
  PointerSet Places = T.Where.resolve(First.getPointerOperand());
  for (const Pointer &At : Places)
    if (!At.Base->named() || mayBeWrittenBeside(T, At, 8))
      return true;
  auto isBetween = [&](const Instruction &I) {
    auto leads = [&](const Instruction &From, const Instruction &To) {
      return isPotentiallyReachable(&From, &I, nullptr, &T.Tree, &T.Loops) &&
             isPotentiallyReachable(&I, &To, nullptr, &T.Tree, &T.Loops);
    };
    return leads(First, Second) || leads(Second, First);
  };
  return any_of(instructions(T.F),
                [&](const Instruction &I) { return mayWrite(T, I, Places) && isBetween(I); });
}

std::optional<std::int64_t> apart(const CountedThread &T, const Value *From, const Value *To,
                                  FoundTwice *Twice, unsigned Depth);

bool same(const CountedThread &T, const Value *A, const Value *B, FoundTwice *Twice, unsigned Depth) {
  if (A == B)
    return true;
  auto *First = dyn_cast<LoadInst>(A), *Second = dyn_cast<LoadInst>(B);
  if (!First || !Second || First->getType() != Second->getType() || Depth > DeepestName ||
      apart(T, First->getPointerOperand(), Second->getPointerOperand(), Twice, Depth + 1) != 0 ||
      changes(T, *First, *Second))
    return false;
  if (Twice)
    Twice->insert(First);
  return true;
}

/// How many bytes To is behind From.
std::optional<std::int64_t> apart(const CountedThread &T, const Value *From, const Value *To,
                                  FoundTwice *Twice, unsigned Depth) {
  const DataLayout &Layout = T.F.getParent()->getDataLayout();
  SymbolicAddress A = symbolicAddress(From, Layout), B = symbolicAddress(To, Layout);
  if (same(T, A.Root, B.Root, Twice, Depth))
    B.Root = A.Root;
  return distance(A, B);
}

} // namespace

bool sameValue(const CountedThread &T, const Value *A, const Value *B, FoundTwice *Twice) {
  return same(T, A, B, Twice, 0);
}

bool isFoundAt(const CountedThread &T, const Value *V, const CallBase &Call, std::int64_t Member,
               FoundTwice *Twice) {
  auto *Found = dyn_cast<LoadInst>(V);
  if (!Found || apart(T, Found->getPointerOperand(), Call.getArgOperand(0), Twice, 0) != -Member ||
      changes(T, *Found, Call))
    return false;
  if (Twice)
    Twice->insert(Found);
  return true;
}

} // namespace rdma::clang_ir
