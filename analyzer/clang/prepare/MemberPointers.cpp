#include "analyzer/clang/prepare/MemberPointers.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/PatternMatch.h>

#include <set>

namespace rdma::clang_ir {

using namespace llvm;
using namespace PatternMatch;

namespace {

bool isPair(const Type *T) {
  auto *Struct = dyn_cast<StructType>(T);
  return Struct && Struct->isLiteral() && !Struct->isPacked() && Struct->getNumElements() == 2 &&
         Struct->getElementType(0)->isIntegerTy(64) && Struct->getElementType(1)->isIntegerTy(64);
}

/// What pairs the module makes.
class Made {
public:
  explicit Made(const Module &M) {
    for (const GlobalVariable &Global : M.globals())
      if (Global.hasInitializer())
        look(*Global.getInitializer());
    for (const Function &F : M)
      for (const Instruction &I : instructions(F)) {
        Adjusted |= isa<InsertValueInst>(I) && isPair(I.getType());
        for (const Use &Operand : I.operands())
          if (auto *C = dyn_cast<Constant>(Operand))
            look(*C);
      }
  }

  bool Virtual = false, Adjusted = false;

private:
  void look(const Constant &C) {
    if (!isa<ConstantAggregate>(C) || !Seen.insert(&C).second)
      return;
    if (isPair(C.getType())) {
      auto *First = dyn_cast<ConstantInt>(C.getAggregateElement(0u));
      Virtual |= First && First->getValue()[0];
      Adjusted |= !C.getAggregateElement(1u)->isNullValue();
    }
    for (const Use &Part : C.operands())
      look(*cast<Constant>(Part));
  }

  std::set<const Constant *> Seen;
};

/// The branch on whether the function is virtual; null: the number is used otherwise.
BranchInst *testOf(Value &Function) {
  for (User *Bit : Function.users()) {
    if (!match(Bit, m_And(m_Specific(&Function), m_One())) || !Bit->hasOneUse())
      continue;
    auto *Compare = dyn_cast<ICmpInst>(*Bit->user_begin());
    auto *Branch = Compare && Compare->hasOneUse() ? dyn_cast<BranchInst>(*Compare->user_begin()) : nullptr;
    if (!Branch || Compare->getPredicate() != ICmpInst::ICMP_NE || !match(Compare->getOperand(1), m_Zero()))
      continue;
    auto uses = [&](BasicBlock *Block, auto Pattern) {
      return any_of(*Block, [&](Instruction &I) { return match(&I, Pattern); });
    };
    if (uses(Branch->getSuccessor(0), m_Sub(m_Specific(&Function), m_One())) &&
        uses(Branch->getSuccessor(1), m_IntToPtr(m_Specific(&Function))))
      return Branch;
  }
  return nullptr;
}

void callDirectly(Function &F, const Made &Pairs) {
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Part = dyn_cast<ExtractValueInst>(&I);
    if (!Part || !isPair(Part->getAggregateOperand()->getType()) || Part->getIndices()[0] != 0)
      continue;
    BranchInst *Test = testOf(*Part);
    if (!Test)
      continue;
    Test->setCondition(ConstantInt::getFalse(F.getContext()));
    for (User *U : Part->getAggregateOperand()->users())
      if (auto *Other = dyn_cast<ExtractValueInst>(U);
          Other && Other->getIndices()[0] == 1 && !Pairs.Adjusted)
        Other->replaceAllUsesWith(ConstantInt::get(Other->getType(), 0));
  }
}

void split(Instruction &I) {
  IRBuilder<> Build(&I);
  auto place = [&](Value *Pair, unsigned Number) {
    return Number ? Build.CreateConstInBoundsGEP1_64(Build.getInt8Ty(), Pair, 8) : Pair;
  };
  if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->isSimple() && isPair(Load->getType())) {
    Value *Whole = PoisonValue::get(Load->getType());
    for (unsigned Number : {0u, 1u})
      Whole = Build.CreateInsertValue(
          Whole, Build.CreateLoad(Build.getInt64Ty(), place(Load->getPointerOperand(), Number)), Number);
    Load->replaceAllUsesWith(Whole);
    Load->eraseFromParent();
  } else if (auto *Store = dyn_cast<StoreInst>(&I);
             Store && Store->isSimple() && isPair(Store->getValueOperand()->getType())) {
    for (unsigned Number : {0u, 1u})
      Build.CreateStore(Build.CreateExtractValue(Store->getValueOperand(), Number),
                        place(Store->getPointerOperand(), Number));
    Store->eraseFromParent();
  }
}

} // namespace

void callMembersDirectly(Module &M) {
  const Made Pairs(M);
  for (Function &F : M) {
    if (!Pairs.Virtual)
      callDirectly(F, Pairs);
    for (Instruction &I : make_early_inc_range(instructions(F)))
      split(I);
  }
}

} // namespace rdma::clang_ir
