#include "analyzer/clang/prepare/KnownRanges.h"
#include "analyzer/clang/api/Declared.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Operator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr std::uint64_t PastErrors = 4096; // of the kernel
constexpr std::uint64_t PastStatus = 1024; // ibv_wc_status has 24 so far
constexpr unsigned StatusMember = 1;       // of ibv_wc

void give(LoadInst &Load, std::uint64_t First, std::uint64_t Past) {
  MDBuilder Say(Load.getContext());
  unsigned Bits = Load.getType()->getIntegerBitWidth();
  Load.setMetadata(LLVMContext::MD_range, Say.createRange(APInt(Bits, First), APInt(Bits, Past)));
}

bool isInt(const Type *T) { return T->isIntegerTy(32); }

constexpr const char *Location = "__errno_location";

struct Errno {
  SmallVector<LoadInst *, 16> Loads;
  bool MayBeZeroed = false;
};

/// Nothing where something else is done with errno than loading it and storing what is not negative.
std::optional<Errno> errnoIn(const Module &M) {
  const Function *Location = M.getFunction(clang_ir::Location);
  if (!Location || !Location->isDeclaration())
    return std::nullopt;
  Errno All;
  for (const User *Call : Location->users()) {
    if (!isa<CallBase>(Call) || cast<CallBase>(Call)->getCalledOperand() != Location)
      return std::nullopt;
    for (const User *U : Call->users()) {
      auto *Load = dyn_cast<LoadInst>(U);
      auto *Store = dyn_cast<StoreInst>(U);
      auto *Number = Store ? dyn_cast<ConstantInt>(Store->getValueOperand()) : nullptr;
      if (Load && isInt(Load->getType()))
        All.Loads.push_back(const_cast<LoadInst *>(Load));
      else if (!Number || Number->isNegative())
        return std::nullopt;
      All.MayBeZeroed |= Number && Number->isZero();
    }
  }
  return All;
}

/// Calls of the verbs libraries that set errno when they fail.
bool isVerbsCall(const ApiRow &Row) {
  bool Named = Row.Name.starts_with("ibv_") || Row.Name.starts_with("rdma_");
  bool Waits = polls(Row.What) || Row.What == Api::WaitQp || Row.What == Api::FlushQp;
  return Named && !Waits && (Row.What != Api::Nothing || Row.Name == "ibv_req_notify_cq");
}

/// Has a call that gives this failed, and set errno? strcmp() and its like give the same numbers and mean
/// something else.
bool setsErrno(const CallBase &Call, const ApiRow &Row, ICmpInst::Predicate Is, const Constant &With) {
  if (Call.getType()->isPointerTy())
    return Is == ICmpInst::ICMP_EQ && With.isNullValue() && (isVerbsCall(Row) || Row.What == Api::Allocate);
  bool OfSystem = isOfSystem(Row) && Row.What != Api::Nothing; // sysconf() has no limit to tell of: -1
  return (isVerbsCall(Row) && Is == ICmpInst::ICMP_NE && With.isNullValue()) ||
         ((isVerbsCall(Row) || OfSystem) && ((Is == ICmpInst::ICMP_SLT && With.isNullValue()) ||
                                             (Is == ICmpInst::ICMP_EQ && With.isAllOnesValue())));
}

/// Does the branch go this way where a call has given what tells of a failure?
bool tellsOfFailure(const BranchInst &Branch, bool Taken) {
  auto *Test = dyn_cast<ICmpInst>(Branch.getCondition());
  auto *Call = Test ? dyn_cast<CallBase>(Test->getOperand(0)) : nullptr;
  auto *With = Test ? dyn_cast<Constant>(Test->getOperand(1)) : nullptr;
  const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
  return With && Row &&
         setsErrno(*Call, *Row, Taken ? Test->getPredicate() : Test->getInversePredicate(), *With);
}

bool followsFailure(const BasicBlock &Block, const DominatorTree &Tree) {
  for (auto *Node = Tree.getNode(&Block); Node && Node->getIDom(); Node = Node->getIDom()) {
    const BasicBlock *Here = Node->getBlock(), *Before = Here->getSinglePredecessor();
    auto *Branch = Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
    if (Branch && Branch->isConditional() && Branch->getSuccessor(0) != Branch->getSuccessor(1) &&
        tellsOfFailure(*Branch, Branch->getSuccessor(0) == Here))
      return true;
  }
  return false;
}

} // namespace

bool isCompletionStatus(const Value *Place) {
  auto *Gep = dyn_cast<GetElementPtrInst>(Place);
  auto *Struct = Gep ? dyn_cast<StructType>(Gep->getSourceElementType()) : nullptr;
  if (!isOfVerbs(Struct, "ibv_wc") || Gep->getNumIndices() != 2)
    return false;
  auto *Member = dyn_cast<ConstantInt>(Gep->getOperand(2));
  return Member && Member->equalsInt(StatusMember);
}

namespace {

bool isCompletion(const Type *T) { return isOfVerbs(dyn_cast<StructType>(T), "ibv_wc"); }

bool holdsCompletion(const Type *T) {
  if (auto *Array = dyn_cast<ArrayType>(T))
    return holdsCompletion(Array->getElementType());
  auto *Struct = dyn_cast<StructType>(T);
  return Struct && (isCompletion(T) || any_of(Struct->elements(), holdsCompletion));
}

/// A variable's address is that of its bytes; of any other address it is not known what lies there.
bool mayHoldCompletion(const Value *Place) {
  const Value *Object = getUnderlyingObject(Place);
  if (auto *Variable = dyn_cast<AllocaInst>(Object))
    return holdsCompletion(Variable->getAllocatedType());
  auto *Global = dyn_cast<GlobalVariable>(Object);
  return !Global || holdsCompletion(Global->getValueType());
}

bool isStatusNumber(const Value *V) {
  if (auto *Load = dyn_cast<LoadInst>(V))
    return isCompletionStatus(Load->getPointerOperand());
  auto *Number = dyn_cast<ConstantInt>(V);
  return Number && Number->getValue().ult(PastStatus);
}

/// Completions that the program begins with.
bool beginsOtherwise(const Constant *Initial) {
  if (isCompletion(Initial->getType()))
    if (const Constant *Status = Initial->getAggregateElement(StatusMember))
      return !isa<UndefValue>(Status) && !isStatusNumber(Status);
  return isa<ConstantAggregate>(Initial) &&
         any_of(Initial->operands(), [](const Use &Part) { return beginsOtherwise(cast<Constant>(Part)); });
}

/// Does the pointer lead into a variable with completions as something else than its type says? Then what
/// is stored there may be a status.
bool castsCompletion(const Value *Place) {
  if (!isa<AllocaInst, GlobalVariable>(getUnderlyingObject(Place)) || !mayHoldCompletion(Place))
    return false;
  const Type *Is = nullptr; // what the part of the way so far leads to
  SmallVector<const GEPOperator *, 4> Way;
  for (; isa<GEPOperator>(Place); Place = Way.back()->getPointerOperand())
    Way.push_back(cast<GEPOperator>(Place));
  if (auto *Variable = dyn_cast<AllocaInst>(Place))
    Is = Variable->getAllocatedType();
  else if (auto *Global = dyn_cast<GlobalVariable>(Place))
    Is = Global->getValueType();
  for (const GEPOperator *Step : reverse(Way)) {
    if (Step->getSourceElementType() != Is)
      return holdsCompletion(Is);
    Is = Step->getResultElementType();
  }
  return holdsCompletion(Is);
}

/// Is the status of a completion used by its address, which may be kept?
bool givesStatusAway(const Instruction &I) {
  return isCompletionStatus(&I) && any_of(I.users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           return !isa<LoadInst>(U) && !(Store && Store->getPointerOperand() == &I);
         });
}

/// May the program itself give a completion a status that no header lists, to see whether one has come?
bool mayStoreOtherStatus(const Instruction &I) {
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return !isStatusNumber(Store->getValueOperand()) &&
           (isCompletionStatus(Store->getPointerOperand()) || castsCompletion(Store->getPointerOperand()));
  if (auto *Set = dyn_cast<AnyMemSetInst>(&I)) {
    auto *Byte = dyn_cast<ConstantInt>(Set->getValue());
    return !(Byte && Byte->isZero()) && mayHoldCompletion(Set->getRawDest());
  }
  if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I))
    return !mayHoldCompletion(Copy->getRawSource()) && mayHoldCompletion(Copy->getRawDest());
  return givesStatusAway(I);
}

bool mayHaveOtherStatus(const Module &M) {
  return any_of(M.globals(),
                [](const GlobalVariable &Global) {
                  return Global.hasInitializer() && beginsOtherwise(Global.getInitializer());
                }) ||
         any_of(M, [](const Function &F) { return any_of(instructions(F), mayStoreOtherStatus); });
}

/// The same computation of an address, from the same values.
bool sameAddress(const Value *A, const Value *B, unsigned Depth = 0) {
  constexpr unsigned Deepest = 4; // the member, the element, its index
  if (A == B)
    return true;
  auto *X = dyn_cast<Instruction>(A), *Y = dyn_cast<Instruction>(B);
  if (!X || !Y || Depth > Deepest || !(isa<GetElementPtrInst>(X) || isa<CastInst>(X)) ||
      !X->isSameOperationAs(Y))
    return false;
  return all_of(zip(X->operands(), Y->operands()), [&](const auto &Pair) {
    return sameAddress(std::get<0>(Pair), std::get<1>(Pair), Depth + 1);
  });
}

/// May it change a completion that has been taken? What prints one may not.
bool mayChangeTaken(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
  if (Row && Row->Writes == -1 &&
      (Row->What == Api::Memory || Row->What == Api::SendsFile || Row->What == Api::Foreign))
    return false;
  return I.mayWriteToMemory() && !isa<DbgInfoIntrinsic>(I);
}

/// The load before this one, on every way to it, that has read the same with nothing written in between.
LoadInst *sameBefore(LoadInst &Load) {
  constexpr unsigned Furthest = 64;
  Instruction *I = &Load;
  for (unsigned Steps = 0; Steps < Furthest; ++Steps) {
    if (I != &I->getParent()->front())
      I = I->getPrevNode();
    else if (BasicBlock *Before = I->getParent()->getSinglePredecessor())
      I = Before->getTerminator();
    else
      return nullptr;
    if (auto *Other = dyn_cast<LoadInst>(I);
        Other && Other->getType() == Load.getType() && !Other->isVolatile() &&
        sameAddress(Other->getPointerOperand(), Load.getPointerOperand()))
      return Other;
    if (mayChangeTaken(*I))
      return nullptr;
  }
  return nullptr;
}

} // namespace

void noteRanges(Module &M) {
  if (std::optional<Errno> All = errnoIn(M))
    for (LoadInst *Load : All->Loads)
      give(*Load, 0, PastErrors);
  if (mayHaveOtherStatus(M))
    return;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Load = dyn_cast<LoadInst>(&I))
        if (isInt(Load->getType()) && isCompletionStatus(Load->getPointerOperand()))
          give(*Load, 0, PastStatus);
}

void noteFailures(Function &F, const DominatorTree &Tree) {
  if (std::optional<Errno> All = errnoIn(*F.getParent()); All && !All->MayBeZeroed)
    for (LoadInst *Load : All->Loads)
      if (Load->getFunction() == &F && followsFailure(*Load->getParent(), Tree))
        give(*Load, 1, PastErrors);
}

void shareStatus(Function &F) {
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && !Load->isVolatile() && isInt(Load->getType()) &&
                                             isCompletionStatus(Load->getPointerOperand()))
      if (LoadInst *First = sameBefore(*Load)) {
        Load->replaceAllUsesWith(First);
        Load->eraseFromParent();
      }
}

} // namespace rdma::clang_ir
