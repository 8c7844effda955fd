// What code outside the sources knows: the blocks that it was given, and what can be reached from them.
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/Kin.h"
#include "analyzer/clang/memory/PointsTo.h"

#include <llvm/BinaryFormat/Dwarf.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

/// What the call is given may lead to one another from here on.
void PointsTo::link(InstanceId I, const CallBase &Call) {
  std::set<const Origin *, ByKey> Together;
  for (const Use &Argument : Call.args())
    if (Argument->getType()->isPointerTy())
      for (const Pointer &P : of(I, Argument))
        if (P.Base->named() && P.Base->What != Origin::Kind::Code)
          Together.insert(P.Base);
  for (const Origin *From : Together)
    Linked[From].insert(Together.begin(), Together.end());
}

/// Code outside the sources has these pointers; what can be reached from them follows in spreadOutside.
/// As: what the pointers point to, where the callee's declaration says so.
void PointsTo::giveAway(const PointerSet &Pointers, const DIType *As) {
  for (const Pointer &P : Pointers) {
    if (P.Base->What == Origin::Kind::Code) {
      callBack(*const_cast<Function *>(cast<Function>(P.Base->Root)));
      continue;
    }
    auto *Global = P.Base->What == Origin::Kind::Global ? dyn_cast<GlobalVariable>(P.Base->Root) : nullptr;
    if (P.Base->named() && !(Global && (Global->isConstant() || Global->getName().starts_with("_ZT"))))
      giveBlock(P, As);
  }
}

void PointsTo::giveArguments(InstanceId I, const CallBase &Call, InstanceId Writer) {
  for (const Use &Argument : Call.args())
    if (mayHoldPointer(Argument->getType()))
      giveAway(of(I, Argument)), handOver(Writer, of(I, Argument));
}

/// What code outside the sources is given it may write: there, or (Libraries) at any time from then on.
void PointsTo::handOver(InstanceId Writer, PointerSet Some) {
  erase_if(Some, [](const Pointer &P) {
    return !P.Base->named() || P.Base->What == Origin::Kind::Code || P.Base->What == Origin::Kind::Foreign;
  });
  addAll(HandedOver[Writer], Some);
}

/// May code outside the sources that the instance calls write to these bytes?
bool PointsTo::handsOver(InstanceId By, const Pointer &Where, std::int64_t Size) {
  auto [Known, New] = Filled.try_emplace(By);
  if (New)
    Known->second = reachable(HandedOver[By]);
  return any_of(Known->second, [&](const Pointer &P) {
    if (P.Base == Where.Base)
      return fromOutside(Where);
    return P.Base->named() &&
           any_of(placesIn(*P.Base, Where, Size), [&](const Pointer &Other) { return fromOutside(Other); });
  });
}

/// What the linker has a name for can be asked for.
void PointsTo::giveNames(InstanceId I) {
  for (GlobalVariable &Global : Instances[I]->F.getParent()->globals())
    if (!Global.hasLocalLinkage())
      giveAway({Pointer{variable(*Instances[I], &Global, Origin::Kind::Global)}});
}

/// Who has such a bound may come to all variables behind it or in front.
void PointsTo::giveBetween(InstanceId I, const GlobalVariable &Bound) {
  StringRef Section = Bound.getName();
  const bool OfSection = Section.consume_front("__start_") || Section.consume_front("__stop_");
  for (GlobalVariable &Global : Instances[I]->F.getParent()->globals())
    if (!Global.isDeclaration() && !Global.isConstant() && (!OfSection || Global.getSection() == Section)) {
      PointerSet Found{Pointer{variable(*Instances[I], &Global, Origin::Kind::Global)}};
      giveAway(Found);
      handOver(I, std::move(Found));
    }
}

/// Code outside the sources has the addresses, and what set-up code keeps behind them: it may give them to
/// entries that it calls. Whoever has an object of a library finds in it the buffer of the region, the
/// context of the queue.
void PointsTo::show(const PointerSet &Pointers) {
  PointerSet All = Pointers;
  for (std::size_t I = 0; I < All.size(); ++I)
    if (const Origin *Base = All[I].Base;
        Base->What == Origin::Kind::Pointee && Base->Holder && isLibraryObject(All[I]))
      for (const Pointer &Slot : slotsInSetUp(Base))
        addAll(All, PointerSet(read(place(Slot, 8, true).Now)));
  for (const Pointer &P : All) {
    const Origin *Base = P.Base;
    const bool Object = Base->What == Origin::Kind::Foreign;
    if (Begins || Base->Shown || Lent.count(Base) ||
        (!Object && Base->What != Origin::Kind::Global && Base->What != Origin::Kind::Heap))
      continue;
    if (Object) {
      Lent.insert(Base);
    } else {
      const_cast<Origin *>(Base)->Shown = true;
      renamed(Base);
      initialise(Base, Blocks[Base]);
      showKept(setUpIn(Base), true);
    }
    showKept(Base, false);
  }
}

/// Always: of a block beside one, where set-up code puts objects of libraries.
void PointsTo::showKept(const Origin *Base, bool Always) {
  const Block &B = Blocks[Base];
  for (const Cell &C : std::vector<Cell>(B.Cells))
    if (Always || isSeen(*Base, C.Writer))
      show(C.Held);
  for (const Copy &C : std::vector<Copy>(B.Copies))
    if (Always || isSeen(*Base, C.Writer))
      show(contents(C.From, C.Length, true));
}

/// What variables begin with that other files know by their names.
void PointsTo::showNames() {
  if (Begins || Instances.empty())
    return;
  for (GlobalVariable &Global : Instances[0]->F.getParent()->globals())
    if (Global.hasInitializer() && !Global.hasLocalLinkage()) {
      const Origin *Base = variable(*Instances[0], &Global, Origin::Kind::Global);
      initialise(Base, Blocks[Base]);
      for (const Cell &C : std::vector<Cell>(Blocks[Base].Cells))
        show(C.Held);
    }
}

/// May code outside the sources find there what is written, before it calls an entry?
bool PointsTo::isSeen(const Origin &Block, InstanceId Writer) const {
  return !Begins && (Writer == Initial || bySetup(Writer)) &&
         (Block.Shown || Lent.count(&Block) || isPublic(Block) || Block.What == Origin::Kind::Pointee);
}

namespace {

/// Is the place in a struct, with no array around it? Then a pointer to a member leads to that member only.
bool isMember(const Origin &Block, std::int64_t Offset, std::int64_t Size) {
  auto *Outer = dyn_cast_or_null<DICompositeType>(strip(Block.Name.Type));
  bool OneObject =
      (Block.What == Origin::Kind::Stack || Block.What == Origin::Kind::Global) && !Block.Indirect;
  if (!OneObject || !Outer || Outer->getTag() == dwarf::DW_TAG_array_type)
    return false;
  return partOf(Block.Name, false, Offset, Size).Path.find('[') == std::string::npos;
}

} // namespace

void PointsTo::giveBlock(const Pointer &P, const DIType *As) {
  Extent Bytes{0, Unbounded, Nobody};
  auto *Struct = dyn_cast_or_null<DICompositeType>(strip(As));
  std::int64_t Size = Struct ? sizeOf(Struct).value_or(0) : 0;
  if (Size && P.exact() && isMember(*P.Base, P.Low, Size))
    Bytes = {P.Low, P.Low + Size, Nobody};
  auto [Known, New] = Outside.try_emplace(P.Base, Bytes);
  Extent &All = Known->second;
  if (New)
    All.Spreading = Due.addLate();
  if (New || Bytes.Begin < All.Begin || Bytes.End > All.End) {
    All.Begin = std::min(All.Begin, Bytes.Begin), All.End = std::max(All.End, Bytes.End);
    grown(P.Base);
    AskedOutside.wake(Due);
  }
  if (P.Base->What == Origin::Kind::Global)
    show({P});
}

/// Code outside the sources may call the function, with anything.
void PointsTo::callBack(Function &F) {
  if (F.isDeclaration() || Entries.count(&F))
    return;
  InstanceId Body = residual(F);
  for (const Argument &Parameter : F.args())
    if (mayHoldPointer(Parameter.getType()))
      grow(Given[{Body, Parameter.getArgNo()}], unknown());
}

void PointsTo::callBackFrom(const PointerSet &Functions) {
  for (const Pointer &P : Functions)
    if (P.Base->What == Origin::Kind::Code)
      callBack(*const_cast<Function *>(cast<Function>(P.Base->Root)));
}

/// The functions in these tables of virtual ones, of classes that the program has made.
PointerSet PointsTo::virtualOf(const PointerSet &Tables) {
  PointerSet All;
  for (const Pointer &P : Tables)
    if (auto *Table = P.Base->What == Origin::Kind::Global ? dyn_cast<GlobalVariable>(P.Base->Root) : nullptr;
        Table && Table->getName().starts_with("_ZTV") && Table->hasInitializer())
      addAll(All, contents({P.Base, 0, Unbounded, 0, {1}}, Unbounded, true));
  return All;
}

/// What memory that is known outside holds is known outside.
void PointsTo::spreadOutside() {
  for (const auto &[Base, Bytes] : std::map<const Origin *, Extent, ByKey>(Outside)) {
    if (!Due.takeLate(Bytes.Spreading))
      continue;
    Current = Bytes.Spreading;
    Block &B = Blocks[Base];
    B.Asked.add(0, Unbounded, Current);
    for (const Cell &C : std::vector<Cell>(B.Cells))
      if (fromOutside(C.At))
        giveAway(C.Held);
    for (const Copy &C : std::vector<Copy>(B.Copies))
      if (auto Other = Outside.find(C.From.Base);
          Other == Outside.end() || Other->second.Begin > 0 || Other->second.End < Unbounded)
        giveAway(contents(C.From, C.Length, true)); // else told for its own sake
    for (const Origin *Named : std::vector<const Origin *>(B.Found))
      if (fromOutside({Base, Named->HolderOffset, Named->HolderOffset, Named->HolderOffset, {}}))
        giveAway({Pointer{Named}});
  }
}

PointerSet PointsTo::reachable(const PointerSet &From) {
  PointerSet All = From;
  auto addBlock = [&All](const Origin *Base) {
    if (std::none_of(All.begin(), All.end(), [&](const Pointer &Q) { return Q.Base == Base; }))
      All.push_back(Pointer{Base, 0, Unbounded, 0, {1}});
  };
  auto add = [&](const Origin *Base) {
    addBlock(Base);
    if (auto One = Same.find(Base); One != Same.end())
      addBlock(One->second);
  };
  for (std::size_t I = 0; I < All.size(); ++I) {
    const Origin *Base = All[I].Base;
    if (!Base->named())
      continue;
    PointerSet Held = held({Base, 0, Unbounded, 0, {1}}, Unbounded, true);
    for (const Pointer &P : Held)
      if (P.Base->named() || isEverything(Held))
        add(P.Base);
    for (const Cell &C : Blocks[Base].Cells)
      for (const Pointer &P : C.Held)
        if (P.Base->What == Origin::Kind::Unknown)
          add(P.Base);
    if (auto Found = Linked.find(Base); Found != Linked.end())
      for (const Origin *Other : Found->second)
        add(Other);
  }
  return All;
}

} // namespace rdma::clang_ir
