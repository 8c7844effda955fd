#include "analyzer/clang/memory/MemoryReader.h"
#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/api/NodeLinks.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/memory/Kin.h"
#include "analyzer/clang/memory/TextRoom.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>
#include <utility>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr unsigned DeepestCopy = 6;

std::uint64_t masked(std::uint64_t Value, std::int64_t Bytes) {
  return Bytes >= 8 ? Value : Value & ((std::uint64_t(1) << (8 * Bytes)) - 1);
}

/// Is an element of an array the same member as the place, whatever their indices?
bool sameMember(const Pointer &P, const Pointer &Place) {
  if (P.exact() && Place.exact())
    return P.Low == Place.Low;
  std::int64_t Step = stepOf(P, Place);
  return Step > 1 && aheadOf(P, Place, Step) == 0;
}

/// Nothing but loads is ever done to it.
bool onlyRead(const Value *V, unsigned Depth) {
  return Depth < 6 && all_of(
                          V->users(),
                          [&](const User *U) {
                            if (auto *Load = dyn_cast<LoadInst>(U))
                              return Load->getPointerOperand() == V;
                            return isa<GEPOperator>(U) && onlyRead(U, Depth + 1);
                          });
}

/// Bytes of a number, some of which are known: a struct that a function returns is in registers, two members
/// in one of them.
std::optional<std::uint64_t> knownPart(const Value *Stored, std::int64_t Ahead, std::int64_t Size,
                                       const DataLayout &Layout) {
  auto *Whole = dyn_cast<IntegerType>(Stored->getType());
  if (!Whole || Ahead < 0 || Size > 8 || 8 * (Ahead + Size) > Whole->getBitWidth())
    return std::nullopt;
  KnownBits Part = computeKnownBits(Stored, Layout).extractBits(8 * Size, 8 * Ahead);
  return Part.isConstant() ? std::optional(Part.getConstant().getZExtValue()) : std::nullopt;
}

/// Where in a variable the place may be: one, or an element of a table each. Nothing: too many.
std::vector<std::int64_t> offsetsOf(const Pointer &Place, const GlobalVariable &Global, std::int64_t Size) {
  constexpr std::size_t MostElements = 64;
  if (Place.exact())
    return {Place.Low};
  const std::int64_t End = Global.getParent()->getDataLayout().getTypeAllocSize(Global.getValueType());
  const std::int64_t Last = std::min(Place.High, End - Size), Step = stepOf(Place, Place);
  std::vector<std::int64_t> All;
  if (Step > 1)
    for (std::int64_t At = Place.Low + aheadOf({Place.Base, Place.Low, Place.Low, Place.Low}, Place, Step);
         At <= Last && All.size() <= MostElements; At += Step)
      All.push_back(At);
  return All.size() <= MostElements ? All : std::vector<std::int64_t>();
}

bool neverWritten(const GlobalVariable &Global) {
  return Global.isConstant() || (Global.hasLocalLinkage() && onlyRead(&Global, 0));
}

} // namespace

void MemoryReader::add(Query &Q, Content C) {
  if (std::find(Q.Found.begin(), Q.Found.end(), C) == Q.Found.end())
    Q.Found.push_back(C);
}

Contents MemoryReader::read(const Pointer &Place, std::int64_t Size, const Instruction *Before,
                            const Value *Address, std::int64_t Behind) {
  return read(Query{Place, Size}, Before, Address, Behind);
}

Contents MemoryReader::readInAnyRun(const Pointer &Place, std::int64_t Size, const Instruction *Before,
                                    const Value *Address) {
  auto *Global = dyn_cast_or_null<GlobalVariable>(Place.Base->Root);
  Query Q{Place, Size};
  Q.AnyRun = Global && Global->hasLocalLinkage() && Global->hasDefinitiveInitializer() && Place.exact() &&
             !Place.Base->Shown && !Where.knownOutside(Place) && !ends().empty();
  return read(std::move(Q), Before, Address, 0);
}

/// The blocks at which a run of the function ends; none where it may end elsewhere, too: by an exception.
const std::vector<const BasicBlock *> &MemoryReader::ends() {
  if (Ends)
    return *Ends;
  Ends.emplace();
  const bool Throws = any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<CallInst>(&I);
    return Call && !Call->doesNotThrow();
  });
  for (const BasicBlock &Block : F)
    if (!Throws && succ_empty(&Block))
      Ends->push_back(&Block);
  return *Ends;
}

Contents MemoryReader::read(Query Q, const Instruction *Before, const Value *Address, std::int64_t Behind) {
  const Pointer &Place = Q.Place;
  bool Element = !Place.exact() && !Place.Strides.empty() && Place.Strides.back() > 1;
  if (!Place.Base->named() || (!Place.exact() && !Element && !Address) ||
      Where.writtenElsewhere(Place, Q.Size))
    return {Content{}};
  if (Address && Address->getType()->isPointerTy()) {
    Q.Address = symbolicAddress(Address, F.getParent()->getDataLayout());
    Q.Address->Offset += Behind;
    Q.Leaves = leavesOf(*Q.Address);
  }
  walk(Q, Before, Before->getParent(), 0);
  return Q.Found.empty() ? Contents{Content{}} : Q.Found;
}

void MemoryReader::walk(Query &Q, const Instruction *From, const BasicBlock *Block, unsigned Depth) {
  std::vector<std::pair<const BasicBlock *, bool>> Work;
  const Instruction *At = From;
  for (;;) {
    bool Done = false;
    for (At = At ? At->getPrevNode() : &Block->back(); At && !Done; At = At->getPrevNode()) {
      Q.Same &= !Q.Leaves.count(At);
      Done = writes(Q, *At, Depth);
    }
    if (!Done && pred_empty(Block)) {
      atEntry(Q);
      if (Q.AnyRun)
        for (const BasicBlock *End : ends())
          if (Q.Visited.emplace(End, false).second)
            Work.push_back({End, false});
    }
    if (!Done)
      for (const BasicBlock *Previous : predecessors(Block))
        if (Q.Visited.emplace(Previous, Q.Same).second)
          Work.push_back({Previous, Q.Same});
    if (Work.empty())
      return;
    std::tie(Block, Q.Same) = Work.back();
    Work.pop_back();
    At = nullptr;
  }
}

/// How far the place is behind the start of what is written there, whatever both are.
std::optional<std::int64_t> MemoryReader::placeIn(const Query &Q, const Value *Written) const {
  if (!Q.Address || !Q.Same)
    return std::nullopt;
  return distance(symbolicAddress(Written, F.getParent()->getDataLayout()), *Q.Address);
}

/// No way from the store to there executes a leaf again.
bool MemoryReader::isCurrent(const Content &Held, const Instruction *At) const {
  if (Held.What != Content::Kind::Value || !Held.StoredBy)
    return false;
  const auto Leaves = leavesOf(symbolicAddress(Held.V, F.getParent()->getDataLayout()));
  std::set<const BasicBlock *> Seen;
  std::vector<const BasicBlock *> Work{At->getParent()};
  const Instruction *From = At->getPrevNode();
  while (!Work.empty()) {
    const BasicBlock *Block = Work.back();
    Work.pop_back();
    const Instruction *I = From;
    for (; I && I != Held.StoredBy; I = I->getPrevNode())
      if (Leaves.count(I))
        return false;
    if (!I)
      for (const BasicBlock *Previous : predecessors(Block))
        if (Seen.insert(Previous).second)
          Work.push_back(Previous);
    From = Work.empty() ? nullptr : &Work.back()->back();
  }
  return true;
}

const Value *MemoryReader::current(const Contents &What, const Instruction *At) const {
  const Content *Only = nullptr;
  for (const Content &C : What)
    if (C.What != Content::Kind::Uninitialised && std::exchange(Only, &C))
      return nullptr;
  return Only && isCurrent(*Only, At) ? Only->V : nullptr;
}

/// Returns true when the instruction settles what is in the place, having added it.
bool MemoryReader::writes(Query &Q, const Instruction &I, unsigned Depth) {
  if (!I.mayWriteToMemory() && !isa<LifetimeIntrinsic>(I))
    return false;
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return ofStore(Q, *Store);
  if (isa<FenceInst>(I) || isa<LoadInst>(I))
    return false;
  if (auto *Move = dyn_cast<AnyMemIntrinsic>(&I))
    return ofIntrinsic(Q, *Move, Depth);
  if (auto *Call = dyn_cast<CallBase>(&I))
    return ofCall(Q, *Call);
  // Atomic operations, and whatever else writes.
  for (const Use &Operand : I.operands())
    if (Operand->getType()->isPointerTy() && mayWrite(Q, Where.resolve(Operand), Unbounded)) {
      add(Q, {});
      return true;
    }
  return false;
}

/// May something that writes Length bytes at one of these places write the place that is asked for?
bool MemoryReader::mayWrite(const Query &Q, const PointerSet &Targets, std::int64_t Length) const {
  return std::any_of(Targets.begin(), Targets.end(), [&](const Pointer &P) {
    if (P.Base == Q.Place.Base)
      return mayMeet(P, Length, Q.Place, Q.Size);
    if (mayShare(P, Length, Q.Place, Q.Size))
      return true;
    // Memory without a name is any block but variables that nobody else knows.
    return P.Base->What == Origin::Kind::Unknown &&
           (Q.Place.Base->What != Origin::Kind::Stack || Where.escaped(Q.Place.Base));
  });
}

/// Adds the bytes of the place, which are this far behind the first that is stored; false: it is not known
/// what they are.
bool MemoryReader::addStored(Query &Q, const StoreInst &Store, std::int64_t Ahead) {
  const Value *Stored = Store.getValueOperand();
  std::int64_t Length = F.getParent()->getDataLayout().getTypeStoreSize(Stored->getType());
  auto *Number = dyn_cast<ConstantInt>(Stored);
  bool Whole = Ahead == 0 && Length == Q.Size;
  if (Whole && Number && Number->getBitWidth() <= 64)
    add(Q, {Content::Kind::Constant, Number->getZExtValue(), nullptr, &Store});
  else if (Whole && isa<ConstantPointerNull>(Stored))
    add(Q, {Content::Kind::Constant, 0, nullptr, &Store});
  else if (Whole)
    add(Q, {Content::Kind::Value, 0, Stored, &Store});
  else if (Number && Q.Size <= 8 && Ahead >= 0 && Ahead + Q.Size <= Length)
    add(Q, {Content::Kind::Constant, Number->getValue().extractBits(8 * Q.Size, 8 * Ahead).getZExtValue(),
            nullptr, &Store});
  else if (auto Part = knownPart(Stored, Ahead, Q.Size, F.getParent()->getDataLayout()))
    add(Q, {Content::Kind::Constant, *Part, nullptr, &Store});
  else
    return false;
  return true;
}

bool MemoryReader::ofStore(Query &Q, const StoreInst &Store) {
  const DataLayout &Layout = F.getParent()->getDataLayout();
  std::int64_t Length = Layout.getTypeStoreSize(Store.getValueOperand()->getType());
  if (auto Ahead = placeIn(Q, Store.getPointerOperand())) {
    if (*Ahead >= Length || *Ahead + Q.Size <= 0)
      return false;
    if (!addStored(Q, Store, *Ahead))
      add(Q, {});
    return true;
  }
  PointerSet Targets = Where.resolve(Store.getPointerOperand());
  bool Settled = false;
  for (const Pointer &P : Targets) {
    if (!mayWrite(Q, {P}, Length))
      continue;
    bool Exact = P.exact() && Q.Place.exact();
    bool Covers = Exact && P.Low <= Q.Place.Low && Q.Place.Low + Q.Size <= P.Low + Length;
    bool Member = P.Base == Q.Place.Base && (Covers || (sameMember(P, Q.Place) && Length == Q.Size));
    if (!Member || !addStored(Q, Store, Covers ? Q.Place.Low - P.Low : 0)) {
      add(Q, {});
      return true;
    }
    Settled |= Covers && settles(Q, P, Targets);
  }
  return Settled;
}

/// Does a write to the whole of this target leave nothing of what was there? Not when there are other
/// targets, and not when the block stands for several.
bool MemoryReader::settles(const Query &Q, const Pointer &Target, const PointerSet &Targets) const {
  return Targets.size() == 1 && Target.exact() && Q.Place.exact() && !Target.Base->Many;
}

/// As addStored, of memset and memcpy.
bool MemoryReader::addMoved(Query &Q, const AnyMemIntrinsic &Move, std::int64_t Ahead, unsigned Depth) {
  if (auto *Set = dyn_cast<AnyMemSetInst>(&Move)) {
    auto *Byte = dyn_cast<ConstantInt>(Set->getValue());
    if (Byte)
      add(Q, {Content::Kind::Constant, masked(Byte->getZExtValue() * 0x0101010101010101ULL, Q.Size)});
    return Byte;
  }
  PointerSet From = Where.resolve(cast<AnyMemTransferInst>(Move).getRawSource());
  std::int64_t Length = cast<ConstantInt>(Move.getLength())->getZExtValue();
  if (From.size() != 1 || !From[0].exact() || !From[0].Base->named() || Depth > DeepestCopy ||
      Where.writtenElsewhere(From[0], Length))
    return false;
  Query Source{moved(From[0], Ahead), Q.Size};
  walk(Source, &Move, Move.getParent(), Depth + 1);
  for (const Content &C : Source.Found)
    add(Q, C);
  return true;
}

bool MemoryReader::ofIntrinsic(Query &Q, const AnyMemIntrinsic &Move, unsigned Depth) {
  auto *Number = dyn_cast<ConstantInt>(Move.getLength());
  std::int64_t Length = Number ? Number->getZExtValue() : Unbounded;
  if (auto Ahead = placeIn(Q, Move.getRawDest())) {
    if (*Ahead + Q.Size <= 0 || (Number && *Ahead >= Length))
      return false;
    bool Covers = Number && *Ahead >= 0 && *Ahead + Q.Size <= Length;
    if (!Covers || !addMoved(Q, Move, *Ahead, Depth))
      add(Q, {});
    return true;
  }
  PointerSet Targets = Where.resolve(Move.getRawDest());
  bool Settled = false;
  for (const Pointer &P : Targets) {
    if (!mayWrite(Q, {P}, mostWritten(Move, P)))
      continue;
    bool Whole = Number && P.Base == Q.Place.Base && P.Low <= Q.Place.Low && P.exact() &&
                 Q.Place.High != Unbounded && Q.Place.High + Q.Size <= P.Low + Length;
    // The same bytes everywhere, or those of one place.
    bool Member = Whole && (isa<AnyMemSetInst>(Move) || Q.Place.exact());
    std::int64_t Ahead = Q.Place.Low - P.Low;
    if (!Member && P.Base == Q.Place.Base && Number) {
      // An element of an array.
      std::int64_t Step = stepOf(P, Q.Place);
      Ahead = Step > 1 ? aheadOf(P, Q.Place, Step) : 0;
      Member = Step > 1 && Length <= Step && Ahead + Q.Size <= Length;
    }
    if (!Member || !addMoved(Q, Move, Ahead, Depth)) {
      add(Q, {});
      return true;
    }
    Settled |= Whole && Targets.size() == 1 && !P.Base->Many;
  }
  return Settled;
}

/// What the call may fill that is found through pointers behind the argument.
PointerSet MemoryReader::filledBehind(const CallBase &Call, unsigned Argument, const ApiRow &Row) {
  const PointerSet Given = Where.resolve(Call.getArgOperand(Argument));
  const FurtherUse Further = furtherUse(Call, Argument, Row);
  return Further.First ? Where.behind(Given, Further) : Where.reachable(Given);
}

bool MemoryReader::ofCall(Query &Q, const CallBase &Call) {
  if (auto *Lifetime = dyn_cast<LifetimeIntrinsic>(&Call)) {
    bool Whole = Lifetime->getIntrinsicID() == Intrinsic::lifetime_start;
    for (const Pointer &P : Where.resolve(Lifetime->getArgOperand(1)))
      if (Whole && P.Base == Q.Place.Base) {
        add(Q, {Content::Kind::Uninitialised});
        return true;
      }
    return false;
  }
  if (auto *Known = dyn_cast<IntrinsicInst>(&Call); Known && Known->isAssumeLikeIntrinsic())
    return false;
  if (Where.mayDeliver(Call, Q.Place, Q.Size)) {
    add(Q, {});
    return true;
  }
  const Function *Callee = Call.getCalledFunction();
  if (std::optional<NodeLinks> Links = Callee ? nodeLinks(*Callee) : std::nullopt) {
    const bool Relinked = Links->Writes && mayWrite(Q, Where.nodesOf(Call, *Links), Links->Size);
    if (Relinked)
      add(Q, {});
    return Relinked;
  }
  const ApiRow *Row = Callee ? apiOf(*Callee) : nullptr;
  if (Q.Place.Base->Root == &Call && Q.Place.Base->What == Origin::Kind::Heap) {
    bool Zero = Callee && Callee->getName() == "calloc";
    if (Row && fillsString(*Row))
      add(Q, {});
    else
      add(Q, {Zero ? Content::Kind::Constant : Content::Kind::Uninitialised, 0, nullptr});
    return true;
  }
  bool Builds = Row && (Row->What == Api::WrStart || Row->What == Api::WrCall ||
                        Row->What == Api::WrComplete || Row->What == Api::WrAbort);
  bool Fills = Row && Row->What <= Api::StartPoll && !Builds; // completions, the failed request
  bool ByLibrary = (!Row && Where.clobbered(Q.Place.Base)) || isLibraryVariable(Q.Place.Base->Root);
  bool Writes = ByLibrary && !isa<IntrinsicInst>(Call);
  for (unsigned I = 0; I < Call.arg_size() && !Writes; ++I) {
    const Value *Argument = Call.getArgOperand(I);
    if (!Argument->getType()->isPointerTy() || Call.onlyReadsMemory(I))
      continue;
    bool IsFilled =
        Fills && I > 0 && !(Row->What == Api::PostSend && I == 1) && !(Row->What == Api::PostRecv && I == 1);
    const WrittenPart Part = Row && !IsFilled ? writtenPart(Call, I, *Row) : WrittenPart{};
    const PointerSet Targets = Where.resolve(Argument);
    PointerSet Begins = Targets;
    for (Pointer &P : Begins)
      P = moved(P, Part.Begin);
    Writes = (Part.Size != 0 && mayWrite(Q, Begins, Part.Size)) ||
             (Row && fillsFurther(Call, I, *Row) && mayWrite(Q, filledBehind(Call, I, *Row), Unbounded));
  }
  if (Writes)
    add(Q, {});
  return Writes;
}

std::optional<Content> MemoryReader::initial(const GlobalVariable &Global, std::int64_t Offset,
                                             std::int64_t Size) {
  if (!Global.hasInitializer() || Size > 8)
    return std::nullopt;
  Type *T = IntegerType::get(F.getContext(), 8 * Size);
  const DataLayout &Layout = F.getParent()->getDataLayout();
  Constant *Init = const_cast<Constant *>(Global.getInitializer());
  if (auto *Number =
          dyn_cast_or_null<ConstantInt>(ConstantFoldLoadFromConst(Init, T, APInt(64, Offset), Layout)))
    return Content{Content::Kind::Constant, Number->getZExtValue(), nullptr};
  if (Size == 8)
    if (Constant *Address =
            ConstantFoldLoadFromConst(Init, PointerType::get(F.getContext(), 0), APInt(64, Offset), Layout))
      return Content{Content::Kind::Value, 0, Address};
  return std::nullopt;
}

/// Nothing in the thread has written the place before.
void MemoryReader::atEntry(Query &Q) {
  if (Q.Place.Base->What == Origin::Kind::Stack)
    return add(Q, {Content::Kind::Uninitialised});
  auto *Global = dyn_cast_or_null<GlobalVariable>(Q.Place.Base->Root);
  // A variable that other functions may have changed before the thread began is not known.
  bool Keeps = Global && (Q.AnyRun || neverWritten(*Global) || isMain(F));
  const std::vector<std::int64_t> Offsets =
      Keeps ? offsetsOf(Q.Place, *Global, Q.Size) : std::vector<std::int64_t>();
  if (Offsets.empty()) {
    const auto First = Global && Q.Place.exact() ? initial(*Global, Q.Place.Low, Q.Size) : std::nullopt;
    const bool Number = First && First->What == Content::Kind::Constant;
    add(Q, Number ? Content{Content::Kind::Unknown, First->Constant, Global} : Content{});
  }
  for (std::int64_t Offset : Offsets)
    add(Q, initial(*Global, Offset, Q.Size).value_or(Content{}));
}

} // namespace rdma::clang_ir
