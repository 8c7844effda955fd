#include "analyzer/clang/translate/HandleFlow.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/Kin.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;

bool holdsThread(const Type *T) {
  if (auto *Array = dyn_cast<ArrayType>(T))
    return holdsThread(Array->getElementType());
  auto *Struct = dyn_cast<StructType>(T);
  if (Struct && Struct->hasName() && Struct->getName().starts_with("union.")) // whose end is no end of a part
    return false;
  return Struct && ((Struct->hasName() && Struct->getName() == "class.std::thread") ||
                    any_of(Struct->elements(), holdsThread));
}

namespace {

bool isHeap(const Pointer &P) { return P.Base->What == Origin::Kind::Heap; }

/// Is it the one handle that is there?
bool isOneHandle(const Pointer &At, const PointerSet &Handle) {
  return !At.Base->Many && At.exact() && Handle.size() == 1 && Handle[0].exact() &&
         Handle[0].Base == At.Base && Handle[0].Low == At.Low;
}

bool isAtomicStep(const Instruction &I) { return isa<AtomicRMWInst>(I) || isa<AtomicCmpXchgInst>(I); }

/// In the program's own text: what the library does to a std::thread is inlined from there.
bool isOfProgram(const Instruction &I) { return programPlace(I.getDebugLoc()) == I.getDebugLoc().get(); }

/// Does the call follow pointers behind the argument, to write there?
bool writesBehind(const CallBase &Call, unsigned Argument, const ApiRow &Row) {
  return Row.What == Api::Scattered || furtherUse(Call, Argument, Row).Writes;
}

using Starts = SmallVector<const Instruction *, 32>;

/// Can the place be reached from one of these, the first of them included, without any of the ends?
bool reaches(Starts Work, const PlaceInCode &Place,
             const std::set<std::pair<const Instruction *, int>> &Ends) {
  SmallPtrSet<const BasicBlock *, 32> Seen;
  while (!Work.empty())
    for (const Instruction *I = Work.pop_back_val(); I && !Ends.count({I, -1}); I = I->getNextNode()) {
      if (I == Place.At)
        return true;
      for (unsigned Next = 0; I->isTerminator() && Next < I->getNumSuccessors(); ++Next)
        if (!Ends.count({I, int(Next)}) && Seen.insert(I->getSuccessor(Next)).second)
          Work.push_back(&I->getSuccessor(Next)->front());
    }
  return false;
}

/// Behind an instruction: what throws has neither started nor moved anything.
Starts behind(const Instruction &I) {
  auto *Invoke = dyn_cast<InvokeInst>(&I);
  return {Invoke ? &Invoke->getNormalDest()->front() : I.getNextNode()};
}

Starts behind(const PlaceInCode &Place) {
  Starts All;
  if (Place.Successor >= 0)
    All.push_back(&Place.At->getSuccessor(Place.Successor)->front());
  else if (!Place.At->isTerminator())
    All.push_back(Place.At->getNextNode());
  else
    for (const BasicBlock *Next : successors(Place.At->getParent()))
      All.push_back(&Next->front());
  return All;
}

} // namespace

bool canReach(const PlaceInCode &Place, const Instruction &To) { return reaches(behind(Place), {&To}, {}); }

HandleFlow::HandleFlow(const Spawn &S, const ThreadsOf &By, ArrayRef<ThreadsOf> Process) : S(S), By(By) {
  for (const Pointer &P : S.Handle) {
    if (P.Base->What == Origin::Kind::Null)
      continue;
    Lost |= !isFollowed(P);
    Places.push_back({P, {S.Call}});
  }
  const ApiRow *Row = rowOf(*S.Call);
  Lost |= S.Call->getFunction() != &By.By->F || !Row || Row->What != Api::SpawnStd;
  follow(Process);
}

/// Every pointer to the place is in sight.
bool HandleFlow::isFollowed(const Pointer &At) const {
  return At.Base->named() && !By.By->Where.escaped(At.Base) && !By.By->Where.writtenUnseen(At, HandleSize);
}

bool HandleFlow::isKept(const PointerSet &At, std::int64_t Size) const {
  return any_of(At, [&](const Pointer &P) {
    return any_of(Places, [&](const Kept &K) { return mayShare(P, Size, K.At, HandleSize); });
  });
}

/// Anywhere in a block with one of the places.
bool HandleFlow::isBlock(const PointerSet &At) const {
  return any_of(At, [&](Pointer P) {
    P.widen();
    return isKept({P}, HandleSize);
  });
}

void HandleFlow::follow(ArrayRef<ThreadsOf> Process) {
  for (std::size_t Before = 0; !Lost && Before != Places.size();) {
    Before = Places.size();
    Touched.clear();
    Holders.clear();
    for (const Instruction &I : instructions(By.By->F))
      look(I);
  }
  for (const ThreadsOf &Other : Process)
    for (const Instruction &I : instructions(Other.By->F))
      if (Other.By != By.By && !Lost)
        Lost = touches(I, Other.By->Where);
}

/// Another thread that reads or writes a handle, or is given one, may move it, or detach the thread.
bool HandleFlow::touches(const Instruction &I, Pointers &Where) const {
  if (const Value *Place = isa<CallBase>(I) ? nullptr : getLoadStorePointerOperand(&I))
    return isKept(Where.resolve(Place), HandleSize);
  if (isAtomicStep(I))
    return isKept(Where.resolve(I.getOperand(0)), HandleSize);
  if (auto *Set = dyn_cast<AnyMemSetInst>(&I))
    return isBlock(Where.resolve(Set->getRawDest()));
  if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I))
    return isBlock(Where.resolve(Copy->getRawSource())) || isBlock(Where.resolve(Copy->getRawDest()));
  auto *Call = dyn_cast<CallBase>(&I);
  return Call && !isa<IntrinsicInst>(Call) && any_of(Call->args(), [&](const Use &Given) {
           return Given->getType()->isPointerTy() && isBlock(Where.resolve(Given));
         });
}

void HandleFlow::putAt(const Value *To, const Instruction &Filler, bool Several) {
  for (Pointer P : By.By->Where.resolve(To)) {
    if (P.Base->What == Origin::Kind::Null)
      continue;
    Lost |= !isFollowed(P);
    if (Several)
      P.widen();
    auto Known = find_if(Places, [&](const Kept &K) { return K.At == P; });
    if (Known == Places.end())
      Places.push_back({P, {&Filler}});
    else if (!is_contained(Known->Filled, &Filler))
      Known->Filled.push_back(&Filler);
  }
}

/// A handle that was read: it is compared, joined, or kept somewhere else.
void HandleFlow::moves(const Value &Handle) {
  for (const User *U : Handle.users()) {
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == &Handle) {
      putAt(Store->getPointerOperand(), *Store, false);
      continue;
    }
    auto *Call = dyn_cast<CallBase>(U);
    const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
    Lost |= !isa<ICmpInst>(U) && !(Row && Row->What == Api::JoinPthread);
  }
}

void HandleFlow::give(const CallBase &Call) {
  if (isa<DbgInfoIntrinsic>(Call) || isa<LifetimeIntrinsic>(Call))
    return;
  if (auto *Set = dyn_cast<MemSetInst>(&Call)) { // as the place is made, but not of what has been started
    Lost |= isBlock(By.By->Where.resolve(Set->getRawDest())) && reaches(behind(*S.Call), {Set}, {});
    return;
  }
  const ApiRow *Row = isa<IntrinsicInst>(Call) ? nullptr : rowOf(Call);
  for (const Use &Given : Call.args()) {
    if (!Given->getType()->isPointerTy())
      continue;
    PointerSet Reached = By.By->Where.resolve(Given);
    if (!Row || writesBehind(Call, Call.getArgOperandNo(&Given), *Row)) // it may go on from there
      Reached = By.By->Where.reachable(Reached);
    if (!isBlock(Reached))
      continue;
    if (Row && (Row->What == Api::JoinStd || Row->What == Api::SpawnStd))
      Touched.push_back(&Call);
    else // realloc moves them
      Lost |= !Row || Row->What != Api::Frees || Call.getType()->isPointerTy();
  }
}

void HandleFlow::look(const Instruction &I) {
  Pointers &Where = By.By->Where;
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    if (!isKept(Where.resolve(Load->getPointerOperand()), HandleSize))
      return;
    Touched.push_back(&I);
    if (!readsNone(*Load))
      moves(*Load);
  } else if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I)) {
    auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
    const std::int64_t Size = Length ? Length->getSExtValue() : Unbounded;
    PointerSet From = Where.resolve(Copy->getRawSource());
    if (Length ? isKept(From, Size) : isBlock(From)) {
      Touched.push_back(&I);
      putAt(Copy->getRawDest(), I, Size != HandleSize);
    }
  } else if (auto *Call = dyn_cast<CallBase>(&I)) {
    give(*Call);
  } else if (isAtomicStep(I)) {
    Lost |= isKept(Where.resolve(I.getOperand(0)), HandleSize);
  } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
    const Value *Kept = Store->getValueOperand();
    Lost |= isOfProgram(I) && isKept(Where.resolve(Store->getPointerOperand()), HandleSize);
    if (isa<ConstantInt>(Kept) || !(Kept->getType()->isPointerTy() || Kept->getType()->isIntegerTy(64)))
      return;
    PointerSet Value = Kept->getType()->isPointerTy() ? Where.resolve(Kept) : Where.resolveAddress(Kept);
    erase_if(Value, [](const Pointer &P) { return !isHeap(P); });
    if (isBlock(Value))
      addAll(Holders, Where.resolve(Store->getPointerOperand()));
  }
}

/// A vector gives memory back when what was there has been moved on or destroyed.
bool HandleFlow::isGivenBack(const Pointer &At, const Instruction &I) const {
  auto *Call = dyn_cast<CallBase>(&I);
  const ApiRow *Row = Call && !isa<IntrinsicInst>(Call) ? rowOf(*Call) : nullptr;
  if (!Row || Row->What != Api::Frees || !isHeap(At) || At.Base->Many || !isOfVector(I, false))
    return false;
  const PointerSet Block = By.By->Where.resolve(Call->getArgOperand(0));
  return Block.size() == 1 && Block[0].Base == At.Base;
}

/// Its handle is in another place from then on. That a std::thread is set to none, or ends, does not tell
/// that: what took the handle may have been left out, where nobody reads it before it is written once more.
bool HandleFlow::isMovedOn(const Pointer &At, const Instruction &I) const {
  if (auto *Read = dyn_cast<LoadInst>(&I))
    return isOneHandle(At, By.By->Where.resolve(Read->getPointerOperand())) &&
           any_of(Read->users(), [&](const User *U) {
             auto *Store = dyn_cast<StoreInst>(U);
             return Store && Store->getValueOperand() == Read && Store->getParent() == Read->getParent();
           });
  auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
  auto *Length = Copy ? dyn_cast<ConstantInt>(Copy->getLength()) : nullptr;
  return Length && Length->getSExtValue() == HandleSize &&
         isOneHandle(At, By.By->Where.resolve(Copy->getRawSource()));
}

/// The destructor ends the process where there is one: the other way is all that an exception leaves of that.
bool HandleFlow::isSeenNone(const Pointer &At, const Instruction &I) const {
  using namespace PatternMatch;
  const Value *Place = nullptr;
  ICmpInst::Predicate Asked;
  auto *Assumed = dyn_cast<AssumeInst>(&I);
  return Assumed && match(Assumed->getArgOperand(0), m_ICmp(Asked, m_Load(m_Value(Place)), m_Zero())) &&
         Asked == ICmpInst::ICMP_EQ && isOneHandle(At, By.By->Where.resolve(Place));
}

/// Where what is kept there is joined, or seen to be none, or is no more.
HandleFlow::Ends HandleFlow::endsOf(const Kept &K) const {
  Ends All;
  for (const Instruction &I : instructions(By.By->F))
    if (isGivenBack(K.At, I) || isMovedOn(K.At, I) || isSeenNone(K.At, I))
      All.emplace(&I, -1);
  for (const JoinSite &J : By.Joined)
    if (isOneHandle(K.At, J.Handle) && (J.What == JoinSite::Kind::Call || J.What == JoinSite::Kind::Absent))
      All.emplace(J.Place, J.Successor);
  return All;
}

/// A std::thread that is made where another is, which has not ended, leaves nobody to join that one.
bool HandleFlow::isMadeAnew(const Kept &K, const Ends &All) const {
  auto isBehind = [&](const Instruction &Made) {
    return !All.count({&Made, -1}) && any_of(K.Filled, [&](const Instruction *Filler) {
      return reaches(behind(*Filler), {&Made}, All);
    });
  };
  return any_of(By.Started,
                [&](const Spawn &S) { return isOneHandle(K.At, S.Handle) && isBehind(*S.Call); }) ||
         any_of(instructions(By.By->F), [&](const Instruction &I) {
           auto *Store = dyn_cast<StoreInst>(&I);
           return Store && match(Store->getValueOperand(), PatternMatch::m_Zero()) &&
                  isOneHandle(K.At, By.By->Where.resolve(Store->getPointerOperand())) && isBehind(I);
         });
}

bool HandleFlow::isSettled(const Kept &K, const PlaceInCode &Place) const {
  if (Place.Range && isHeap(K.At) &&
      any_of(By.By->Where.resolve(Place.Range->Begin), [&](const Pointer &P) { return P.Base == K.At.Base; }))
    return true;
  const Ends All = endsOf(K);
  if (isMadeAnew(K, All))
    return false;
  return All.count({Place.At, Place.Successor}) ||
         none_of(K.Filled, [&](const Instruction *Filler) { return reaches(behind(*Filler), Place, All); });
}

/// Behind a loop that has joined all of a vector's threads nobody looks for one but there: else it was not
/// all of them, or they are elsewhere. The vector itself is in no memory, where others would come by it.
bool HandleFlow::leftAlone(const PlaceInCode &Place) const {
  if (!Holders.empty())
    return false;
  return all_of(Touched, [&](const Instruction *I) {
    return any_of(By.Ranges,
                  [&](const JoinedRange &R) { return R.isOf(*Place.Range) && R.Rounds->contains(I); }) ||
           !canReach(Place, *I);
  });
}

bool HandleFlow::isOverAt(const PlaceInCode &Place) const {
  return !Lost && !canReach(Place, *S.Call) && (!Place.Range || leftAlone(Place)) &&
         all_of(Places, [&](const Kept &K) { return isSettled(K, Place); });
}

} // namespace rdma::clang_ir
