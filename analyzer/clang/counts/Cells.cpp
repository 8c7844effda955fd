#include "analyzer/clang/counts/Cells.h"
#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/SystemCalls.h"
#include "analyzer/clang/api/WorkRequests.h"
#include "analyzer/clang/counts/Touched.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/memory/Kin.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr std::size_t MostCells = 48, MostConditions = 2'000;

Cells::Extent extentOf(const Cell &C) { return {{C.Base, C.Low, C.Low, C.Low, {}}, C.Size}; }

bool overlaps(const Pointer &P, std::int64_t Size, const Cell &C) {
  std::int64_t End = P.High == Unbounded || Size == Unbounded ? Unbounded : P.High + Size;
  return P.Low < C.Low + C.Size && C.Low < End;
}

/// Functions that name the variable.
std::set<const Function *> usersOf(const Value &Global) {
  std::set<const Function *> Found;
  std::vector<const Value *> Work{&Global};
  std::set<const Value *> Seen(Work.begin(), Work.end());
  while (!Work.empty()) {
    const Value *V = Work.back();
    Work.pop_back();
    for (const User *U : V->users())
      if (auto *I = dyn_cast<Instruction>(U))
        Found.insert(I->getFunction());
      else if (Seen.insert(U).second)
        Work.push_back(U);
  }
  return Found;
}

/// May the call run one of these functions? Functions that only a library knows call none of them.
bool leadsTo(const CallBase &Call, const std::set<const Function *> &Some) {
  std::vector<const CallBase *> Work{&Call};
  std::set<const Function *> Seen;
  while (!Work.empty()) {
    const CallBase *Next = Work.back();
    Work.pop_back();
    auto *Callee = dyn_cast<Function>(Next->getCalledOperand()->stripPointerCasts());
    if (!Callee || Some.count(Callee) || any_of(Next->args(), [&](const Use &Argument) {
          return isa<Function>(Argument->stripPointerCasts());
        }))
      return true;
    if (!Seen.insert(Callee).second)
      continue;
    for (const Instruction &I : instructions(*Callee))
      if (auto *Inner = dyn_cast<CallBase>(&I); Inner && !isa<IntrinsicInst>(I))
        Work.push_back(Inner);
  }
  return false;
}

/// Is the function called once, by `main` or by what it calls once, and nothing that uses the variable before
/// it? Others may be entries, which are analysed as if they ran elsewhere.
bool isFirstCalled(const Function &F, const std::set<const Function *> &Users, unsigned Depth = 0) {
  if (isMain(F))
    return true;
  auto *Call = F.hasOneUse() && Depth < 8 ? dyn_cast<CallBase>(*F.user_begin()) : nullptr;
  if (!Call || Call->getCalledOperand() != &F ||
      any_of(successors(Call->getParent()),
             [&](const BasicBlock *Next) { return isPotentiallyReachable(Next, Call->getParent()); }))
    return false;
  const Function &Caller = *Call->getFunction();
  return isFirstCalled(Caller, Users, Depth + 1) && none_of(instructions(Caller), [&](const Instruction &I) {
           auto *Before = dyn_cast<CallBase>(&I);
           return Before && Before != Call && !isa<IntrinsicInst>(I) && leadsTo(*Before, Users) &&
                  isPotentiallyReachable(&I, Call);
         });
}

/// Is the thread the first to run its code in the process, and the first that uses the variable?
bool isFirst(const CountedThread &T, const GlobalVariable &Global) {
  const Function &Root = T.Start ? *T.Start->getFunction() : T.F;
  return T.Once && (Root.use_empty() || isFirstCalled(Root, usersOf(Global)));
}

/// May the function, one that stayed a call, run more than once? A thread's entry is called by nobody here.
bool runsAgain(const Function &F, unsigned Depth = 0) {
  unsigned Calls = 0;
  for (const User *U : F.users())
    if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledOperand() == &F) {
      const BasicBlock *Block = Call->getParent();
      bool Around = any_of(successors(Block),
                           [&](const BasicBlock *Next) { return isPotentiallyReachable(Next, Block); });
      if (++Calls > 1 || Around || Depth > 8 || runsAgain(*Call->getFunction(), Depth + 1))
        return true;
    }
  return false;
}

bool canBeAny(const Pointer &P) {
  return P.Base->What == Origin::Kind::Unknown || P.Base->What == Origin::Kind::Number;
}

} // namespace

Cells::Cells(const CountedThread &T, Foreign WrittenByOthers, std::vector<SharedCounter> Counters)
    : T(T), WrittenByOthers(std::move(WrittenByOthers)), Shared(std::move(Counters)) {
  recordEscapes();
  for (const SharedCounter &C : Shared)
    want({C.Base, C.Low, C.Low, C.Low, {}}, C.Size, false);
  seed();
  followStores();
}

std::int64_t Cells::sizeOf(const Type *Type) const {
  return T.F.getParent()->getDataLayout().getTypeStoreSize(const_cast<llvm::Type *>(Type));
}

/// Where a load or an atomic operation finds its integer; null: neither.
static const Value *foundAt(const Value &V) {
  if (auto *Modify = dyn_cast<AtomicRMWInst>(&V))
    return Modify->getPointerOperand();
  return isa<LoadInst>(V) ? getLoadStorePointerOperand(&V) : nullptr;
}

int Cells::found(const Value &V) const {
  const Value *At = foundAt(V);
  return At ? at(T.Where.resolve(At), sizeOf(V.getType())) : -1;
}

void Cells::recordEscapes() {
  for (const Instruction &I : instructions(T.F))
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      const Value *V = Store->getValueOperand();
      auto *Cast = dyn_cast<PtrToIntOperator>(V);
      if (!V->getType()->isPointerTy() && !Cast)
        continue;
      for (const Pointer &Address : T.Where.resolve(Cast ? Cast->getPointerOperand() : V))
        Escaped.insert(Address.Base);
    }
}

/// A call of which nothing is known but its arguments, or that fills what they lead to.
bool Cells::writesAnything(const CallBase &Call) {
  if (Call.onlyReadsMemory() || isa<IntrinsicInst>(Call))
    return false;
  auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  const ApiRow *Row = Callee ? apiOf(*Callee) : nullptr;
  return !Row || any_of(seq(Call.arg_size()), [&](unsigned A) { return fillsFurther(Call, A, *Row); });
}

/// Is what is in the slot found there?
bool Cells::findsSlot(const Instruction &I, const Cell &Slot) const {
  const Value *From = nullptr;
  std::int64_t Size = Unbounded;
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    From = Load->getPointerOperand();
    Size = sizeOf(Load->getType());
  } else if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I))
    From = Copy->getRawSource();
  else if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    From = I.getOperand(0);
  return From && any_of(T.Where.resolve(From), [&](const Pointer &P) {
           return canBeAny(P) || (P.Base == Slot.Base && overlaps(P, Size, Slot));
         });
}

bool Cells::mayReach(const CallBase &Call, const Origin &Block) const {
  return any_of(Call.args(), [&](const Use &Argument) {
    return Argument->getType()->isPointerTy() &&
           any_of(T.Where.reachable(T.Where.resolve(Argument)),
                  [&](const Pointer &P) { return P.Base == &Block || canBeAny(P); });
  });
}

/// A call that connects comes before every use, one that closes behind every one.
bool Cells::isBetween(const Instruction &Change, ArrayRef<const Instruction *> Uses) const {
  auto leads = [&](const Instruction &From, const Instruction &To) {
    return isPotentiallyReachable(&From, &To, nullptr, &T.Tree, &T.Loops);
  };
  return any_of(Uses, [&](const Instruction *Use) { return leads(*Use, Change); }) &&
         any_of(Uses, [&](const Instruction *Use) { return leads(Change, *Use); });
}

/// Is the slot set once, before anything is found there?
bool Cells::setsBefore(ArrayRef<const Instruction *> Stores, const Cell &Slot,
                       ArrayRef<const Instruction *> Uses) const {
  auto *Store = dyn_cast<StoreInst>(Stores[0]);
  if (Stores.size() != 1 || !Store || T.Loops.getLoopFor(Store->getParent()))
    return false;
  const PointerSet To = T.Where.resolve(Store->getPointerOperand());
  return To.size() == 1 && To[0] == Pointer{Slot.Base, Slot.Low, Slot.Low, Slot.Low} &&
         sizeOf(Store->getValueOperand()->getType()) == Slot.Size &&
         all_of(Uses, [&](const Instruction *Use) { return T.Tree.dominates(Store, Use); });
}

/// What is found through a pointer in memory is one block only while that pointer stays as it is.
bool Cells::firm(const Origin &Base) {
  auto [Known, New] = Firm.try_emplace(&Base, false);
  if (!New)
    return Known->second;
  auto *Made = dyn_cast_or_null<Instruction>(Base.Root);
  if (!Base.named() || Base.Many || Base.Name.Path.find("[*]") != std::string::npos ||
      (Made && Made->getFunction() != &T.F && runsAgain(*Made->getFunction())) ||
      (Made && !isa<AllocaInst>(Made) && Made->getFunction() == &T.F &&
       T.Loops.getLoopFor(Made->getParent())))
    return false;
  // What one allocation made is the same wherever a pointer to it is kept.
  if (Base.Holder && !Made) {
    if (!firm(*Base.Holder) || WrittenByOthers(*Base.Holder, Base.HolderOffset, Base.HolderOffset + 8))
      return false;
    Cell Slot{Base.Holder, Base.HolderOffset, 8};
    std::vector<const Instruction *> Stores, Uses, Changes;
    bool IsGiven = false;
    for (const Instruction &I : instructions(T.F)) {
      const Value *To = nullptr;
      std::int64_t Size = Unbounded;
      if (findsSlot(I, Slot))
        Uses.push_back(&I);
      if (auto *Store = dyn_cast<StoreInst>(&I)) {
        To = Store->getPointerOperand();
        Size = sizeOf(Store->getValueOperand()->getType());
        if (isa<ConstantPointerNull>(Store->getValueOperand()))
          continue;
      } else if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I)) {
        To = Copy->getRawDest();
      } else if (auto *Call = dyn_cast<CallBase>(&I); isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
        To = I.getOperand(0);
      else if (Call && writesAnything(*Call)) {
        Changes.push_back(Call);
        IsGiven |= mayReach(*Call, *Base.Holder);
        if (Call->getCalledFunction() && !Call->getCalledFunction()->isDeclaration())
          Uses.push_back(Call);
      }
      if (To && mayTouch(T.Where.resolve(To), Size, extentOf(Slot)))
        Stores.push_back(&I);
    }
    if (!Stores.empty() && !setsBefore(Stores, Slot, Uses))
      return false;
    Uses.insert(Uses.end(), Stores.begin(), Stores.end());
    // What is given a pointer to it may keep that for what is called later.
    if (IsGiven && any_of(Changes, [&](const Instruction *Change) { return isBetween(*Change, Uses); }))
      return false;
  }
  return Firm[&Base] = true;
}

/// Does the thread look at the block as at one that something else may change at any time?
static bool isVolatile(const CountedThread &T, const Origin &Base) {
  return any_of(instructions(T.F), [&](const Instruction &I) {
    const Value *At = I.isVolatile() ? getLoadStorePointerOperand(&I) : nullptr;
    return At && any_of(T.Where.resolve(At), [&](const Pointer &P) { return P.Base == &Base; });
  });
}

/// What a variable is initialised with, where that is what the thread finds there.
const Constant *Cells::initializer(const Pointer &Place, std::int64_t Size) const {
  auto *Global = dyn_cast_or_null<GlobalVariable>(Place.Base->Root);
  // Another file may set what it can name before the program comes to these.
  if (!Global || (!Global->hasLocalLinkage() && !hasMain(*Global)))
    return nullptr;
  // Nobody else writes it: neither a constructor nor what starts this thread. What either has given to code
  // outside the sources may have been set there.
  if (!Global->hasDefinitiveInitializer() || !isFirst(T, *Global) || isVolatile(T, *Place.Base) ||
      Place.Base->Shown || T.Where.knownOutside(Place) || T.Where.writtenElsewhere(Place, Size))
    return nullptr;
  return Global->getInitializer();
}

std::optional<std::int64_t> Cells::initial(const Pointer &Place, std::int64_t Size) const {
  const Constant *All = initializer(Place, Size);
  Type *Bits = Type::getIntNTy(T.F.getContext(), Size * 8);
  Constant *Start = All ? ConstantFoldLoadFromConst(const_cast<Constant *>(All), Bits, APInt(64, Place.Low),
                                                    T.F.getParent()->getDataLayout())
                        : nullptr;
  auto *Number = dyn_cast_or_null<ConstantInt>(Start);
  return Number ? std::optional(Number->getSExtValue()) : std::nullopt;
}

const Constant *Cells::initialAddress(const Cell &C) const {
  const Constant *All = initializer({C.Base, C.Low, C.Low, C.Low, {}}, C.Size);
  const DataLayout &Layout = T.F.getParent()->getDataLayout();
  Type *Address = PointerType::get(T.F.getContext(), 0);
  return All && sizeOf(Address) == C.Size
             ? ConstantFoldLoadFromConst(const_cast<Constant *>(All), Address, APInt(64, C.Low), Layout)
             : nullptr;
}

bool Cells::beginsZeroed(const Origin &Base) const {
  const Constant *All = initializer({&Base, 0, Unbounded, 0, {1}}, 1);
  return All && All->isNullValue();
}

void Cells::want(const Pointer &Place, std::int64_t Size, bool OfRequest) {
  if (!Place.exact() || !Place.Base->named() || Size > 8 || All.size() >= MostCells ||
      !Wanted.insert({Place.Base, Place.Low, Size}).second)
    return;
  if (!firm(*Place.Base))
    return;
  for (const SharedCounter &C : Shared)
    if (C.Base == Place.Base && C.Low == Place.Low && C.Size == Size)
      return All.push_back({Place.Base, Place.Low, Size, false, C.Initial, &C});
  // What is read as volatile and written by nobody in sight, somebody else writes.
  if (WrittenByOthers(*Place.Base, Place.Low, Place.Low + Size) ||
      (Place.Base->What == Origin::Kind::Global && isVolatile(T, *Place.Base) &&
       T.Where.writers(Place, Size).empty()))
    return;
  All.push_back({Place.Base, Place.Low, Size, OfRequest, initial(Place, Size)});
}

void Cells::keep(const std::set<unsigned> &Some) {
  std::vector<Cell> Kept;
  for (unsigned C : Some)
    Kept.push_back(All[C]);
  All = std::move(Kept);
}

bool Cells::late(const SharedCounter &Counter, const Instruction &Store) const {
  return Counter.Starts.empty() || any_of(Counter.Starts, [&](const CallBase *Start) {
           return Start->getFunction() != &T.F ||
                  isPotentiallyReachable(Start, &Store, nullptr, &T.Tree, &T.Loops);
         });
}

/// Everything that decides where the thread goes, and what its requests are.
void Cells::seed() {
  for (const PostSite &P : T.Posts) {
    auto field = [&](std::optional<Pointer> At, std::int64_t Offset, std::int64_t Size) {
      if (!At)
        return;
      At->shift(Offset, Offset);
      want(*At, Size, true);
    };
    field(P.WorkRequest, layout::FlagsAt, 4);
    if (P.WorkRequest)
      want(*P.WorkRequest, 8, false); // wr_id
    field(P.Segment, layout::SgeAddr, 8);
    field(P.Segment, layout::SgeLength, 4);
  }
  std::size_t Conditions = 0;
  for (const BasicBlock &Block : T.F) {
    if (auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
        Branch && Branch->isConditional() && ++Conditions < MostConditions)
      follow(Branch->getCondition());
    else if (auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator()))
      follow(Switch->getCondition());
  }
  for (const PostSite &P : T.Posts)
    if (P.Address && !P.Buffer)
      follow(P.Address);
  for (const Instruction &I : instructions(T.F))
    for (const Value *At : addressesOf(I)) {
      auto *Gep = getLoadStorePointerOperand(&I) ? dyn_cast<GEPOperator>(At) : nullptr;
      if ((Gep && !Gep->hasAllConstantIndices()) || leadsToSeveral(*At))
        follow(At);
    }
}

/// A pointer to one of several blocks.
bool Cells::leadsToSeveral(const Value &V) const {
  const PointerSet Places = V.getType()->isPointerTy() ? T.Where.resolve(&V) : PointerSet{};
  return Places.size() > 1 && all_of(Places, [](const Pointer &P) { return P.Base->named(); });
}

void Cells::follow(const Value *V) {
  Work.push_back(V);
  while (!Work.empty()) {
    const Value *Next = Work.back();
    Work.pop_back();
    auto *I = dyn_cast<Instruction>(Next);
    if (!I || !Seen.insert(I).second)
      continue;
    if (const Value *At = foundAt(*I)) {
      if (I->getType()->isIntegerTy() || leadsToSeveral(*I))
        if (PointerSet Places = T.Where.resolve(At); Places.size() == 1)
          want(Places[0], sizeOf(I->getType()), false);
    } else if (!isa<CallBase>(I) || isa<IntrinsicInst>(I)) {
      for (const Use &Operand : I->operands())
        Work.push_back(Operand.get());
    }
  }
}

/// What is stored to a cell, or copied, may come from other cells.
void Cells::followStores() {
  for (std::size_t Before = 0; Before != All.size();) {
    Before = All.size();
    for (const Instruction &I : instructions(T.F)) {
      if (auto *Store = dyn_cast<StoreInst>(&I);
          Store &&
          !touched(T.Where.resolve(Store->getPointerOperand()), sizeOf(Store->getValueOperand()->getType()))
               .empty()) {
        follow(Store->getValueOperand());
      } else if (auto *Modify = dyn_cast<AtomicRMWInst>(&I)) {
        follow(Modify->getValOperand());
      } else if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I)) {
        PointerSet To = T.Where.resolve(Copy->getRawDest()), From = T.Where.resolve(Copy->getRawSource());
        if (To.size() != 1 || From.size() != 1 || !To[0].exact() || !From[0].exact())
          continue;
        auto *Length = dyn_cast<ConstantInt>(Copy->getLength());
        for (unsigned C : touched(To, Length ? Length->getZExtValue() : Unbounded)) {
          Pointer Place = From[0];
          Place.shift(All[C].Low - To[0].Low, All[C].Low - To[0].Low);
          want(Place, All[C].Size, All[C].OfRequest);
        }
      }
    }
  }
}

int Cells::at(const PointerSet &Places, std::int64_t Size) const {
  if (Places.size() == 1 && Places[0].exact())
    for (unsigned C = 0; C < All.size(); ++C)
      if (All[C].Base == Places[0].Base && All[C].Low == Places[0].Low && All[C].Size == Size)
        return C;
  return -1;
}

/// A variable whose address never left its function: a pointer of unknown origin does not lead there.
bool Cells::isPrivate(const Origin &Base) const {
  return Base.What == Origin::Kind::Stack && !Escaped.count(&Base);
}

bool Cells::mayTouch(const PointerSet &Places, std::int64_t Size, const Extent &Into) const {
  return any_of(Places, [&](const Pointer &P) {
    return P.Base == Into.At.Base
               ? mayMeet(P, Size, Into.At, Into.Size)
               : (canBeAny(P) && !isPrivate(*Into.At.Base)) || mayShare(P, Size, Into.At, Into.Size);
  });
}

std::vector<unsigned> Cells::touched(const PointerSet &Places, std::int64_t Size) const {
  std::vector<unsigned> Some;
  for (unsigned C = 0; C < All.size(); ++C)
    if (mayTouch(Places, Size, extentOf(All[C])))
      Some.push_back(C);
  return Some;
}

Cells::Writes Cells::writesOf(const CallBase &Call) const {
  auto *Known = dyn_cast<IntrinsicInst>(&Call);
  if (Call.onlyReadsMemory() || (Known && !isa<AnyMemIntrinsic>(Known)))
    return {};
  if (futexUse(Call) != FutexUse::Other)
    return {};
  Writes Some;
  auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  const ApiRow *Row = Callee ? apiOf(*Callee) : nullptr;
  Some.Anything = !Call.isInlineAsm() && (!Callee || !Callee->isDeclaration());
  // What the table says of writing concerns memory that others can see; here every variable counts.
  bool Listed = Row && Row->What != Api::WrCall && Row->What != Api::OtherPost;
  for (unsigned I = 0; I < Call.arg_size(); ++I) {
    const Value *Argument = Call.getArgOperand(I);
    if (!Argument->getType()->isPointerTy())
      continue;
    if (!Some.Anything && (Call.onlyReadsMemory(I) || Call.doesNotAccessMemory(I)))
      continue;
    // A post reads its requests, and reports the bad one; a poll writes the completions: the last arguments.
    if (Row && Row->What <= Api::CmPollRecv && I + 1 != Call.arg_size())
      continue;
    // Registering looks at the address only.
    if (Row && (Row->What == Api::RegMr || Row->What == Api::CmReg))
      continue;
    PointerSet To = T.Where.resolve(Argument);
    ArgumentUse Use = Listed ? useOf(Call, I, *Row) : ArgumentUse{};
    if (Listed && !fillsFurther(Call, I, *Row))
      Some.Parts.push_back({std::move(To), Use.Writes ? Use.Size : Unbounded});
    else
      addAll(Some.Reached, T.Where.reachable(To)); // and what is found through what they point to
  }
  return Some;
}

bool Cells::mayTouch(const Writes &Some, const Extent &Into) const {
  const Origin *Base = Into.At.Base;
  return (Some.Anything && !isPrivate(*Base)) ||
         any_of(Some.Parts, [&](const auto &Part) { return mayTouch(Part.To, Part.Size, Into); }) ||
         any_of(Some.Reached,
                [&](const Pointer &P) { return canBeAny(P) ? !isPrivate(*Base) : mayShare(*P.Base, *Base); });
}

std::vector<unsigned> Cells::touchedBy(const CallBase &Call) const {
  const Writes Written = writesOf(Call);
  std::vector<unsigned> Some;
  for (unsigned C = 0; C < All.size(); ++C)
    if (mayTouch(Written, extentOf(All[C])))
      Some.push_back(C);
  return Some;
}

} // namespace rdma::clang_ir
