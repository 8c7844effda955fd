// What blocks of memory hold: what is stored, copied and initialised there, and what comes from outside the
// sources.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/Kin.h"
#include "analyzer/clang/memory/PointsTo.h"
#include "analyzer/clang/prepare/CaughtExceptions.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <numeric>

namespace rdma::clang_ir {

using namespace llvm;

/// The program may call a structure of its own as a library does; what it only declares is the library's.
static bool isNotOfProgram(const DIType *T) {
  auto *Struct = dyn_cast<DICompositeType>(T);
  return !Struct || Struct->isForwardDecl() || declarerOf(*Struct) != Declarer::Program;
}

bool isVerbsType(const DIType *T) {
  return T && (T->getName().starts_with("ibv_") || T->getName().starts_with("rdma_")) && isNotOfProgram(T);
}

bool isLibraryType(const DIType *T) {
  const bool OfSystem = T && (T->getName().starts_with("pthread_") || T->getName() == "_IO_FILE");
  return isVerbsType(T) || (OfSystem && isNotOfProgram(T));
}

namespace {

/// Copies into a block that are followed place by place.
constexpr std::size_t MostCopies = 32;

} // namespace

bool isLibraryObject(const Pointer &P) {
  return P.Base->What == Origin::Kind::Foreign || isLibraryType(strip(P.Base->Name.Type));
}

PointerSet PointsTo::contents(const Pointer &Where, std::int64_t Size, bool IsPointer) {
  PointerSet All = held(Where, Size, IsPointer);
  if (IsPointer && std::erase_if(All, [](const Pointer &P) { return P.Base->What == Origin::Kind::Number; }))
    addAll(All, unknown());
  return All;
}

bool PointsTo::fromOutside(const Pointer &Where) const {
  auto Found = Outside.find(Where.Base);
  if (Found == Outside.end())
    return false;
  const Extent &Bytes = Found->second;
  return Where.Low < Bytes.End && (Where.High == Unbounded || Where.High + 8 > Bytes.Begin);
}

/// Virtual tables, and tables of those.
static constexpr StringRef StandardTables[] = {"_ZTVSt", "_ZTVNSt", "_ZTVN10__cxxabiv1", "_ZTTSt", "_ZTTNSt"};

bool PointsTo::comesFromOutside(const Pointer &Where, bool Found) {
  const Origin *Base = Where.Base;
  switch (Base->What) {
  case Origin::Kind::Pointee:
    return true;
  case Origin::Kind::Foreign:
    return AllTold && !Found;
  case Origin::Kind::Global: {
    auto *Global = dyn_cast_or_null<GlobalVariable>(Base->Root);
    // Tables of the standard library lead to its own code only.
    if (Global &&
        ((Global->isConstant() && Global->hasDefinitiveInitializer()) ||
         any_of(StandardTables, [&](StringRef Prefix) { return Global->getName().starts_with(Prefix); })))
      return false;
    // One that nothing here sets is set by code that is not here.
    return (AllTold && !Found) || fromOutside(Where) || isLeftOpen(Where) || !Global ||
           Global->isDeclaration();
  }
  default:
    return fromOutside(Where) || isLeftOpen(Where);
  }
}

/// May others have set the pointer there before they call an entry, as set-up code has shown them the place?
/// Connections stay those that set-up code keeps there: they have the names of their places.
bool PointsTo::isLeftOpen(const Pointer &Where) {
  const Origin &Base = *Where.Base;
  if (Begins || !isShownByVariable(Base))
    return false;
  const DIType *Type =
      clang_ir::pointee(partOf({"", Base.Name.Type}, false, Where.Zeroed, 8, Where.Strides).Type);
  return !isLibraryType(Type) && !holdsHandle(Type);
}

/// Has another file a name for it? Each thread of its for a `thread_local` variable, too.
static bool isNameable(const Origin &Block) {
  auto *Global = dyn_cast_or_null<GlobalVariable>(Block.Root);
  return Block.What == Origin::Kind::Global && Global && !Global->hasLocalLinkage();
}

/// Is it a block that others come by, or what a thread calls such a block by the name of a variable?
bool PointsTo::isShownByVariable(const Origin &Block) {
  if (Block.What != Origin::Kind::Pointee)
    return Block.Shown || isNameable(Block);
  const Origin *Root = &Block;
  while (Root->Holder)
    Root = Root->Holder;
  const std::int64_t At = Block.HolderOffset;
  return Root->What == Origin::Kind::Global &&
         any_of(held({Block.Holder, At, At, At, {}}, 8, true),
                [](const Pointer &P) { return P.Base->Shown || isNameable(*P.Base); });
}

static const ApiRow *madeBy(const Origin *Block) {
  auto *Call = Block ? dyn_cast_or_null<CallBase>(Block->Root) : nullptr;
  return Call ? rowOf(*Call) : nullptr;
}

/// By the table of an exception that a library has made; where it has thrown it, too, the table is behind
/// what is caught.
static const Function *whatIsCalled(const Pointer &Where, const Module &M) {
  const Origin *Table = Where.Base;
  if (Table->What != Origin::Kind::Foreign || !Where.exact() || Where.Zeroed != SlotOfWhat * 8)
    return nullptr;
  const ApiRow *Made = madeBy(Table), *Caught = Table->HolderOffset == 0 ? madeBy(Table->Holder) : nullptr;
  const bool IsTable = Made ? makesException(*Made) : Caught && Caught->Name == "__cxa_begin_catch";
  return IsTable ? M.getFunction(WhatOfLibrary) : nullptr;
}

/// Memory that the sources do not fill: a pointer there is named after its place, or points to something
/// whose address is known outside.
PointerSet PointsTo::fromOutside(const Pointer &Where, bool IsPointer) {
  if (!IsPointer)
    return {Pointer{Number}};
  if (!Where.exact() && (Where.Strides.empty() || Where.Strides.back() == 1))
    return unknown();
  if (const Function *What = whatIsCalled(Where, *Instances[0]->F.getParent()))
    return of(0, What);
  const Origin *Named = pointee(Where);
  if (!Named)
    return unknown();
  PointerSet All = keptInSetUp(Where);
  if (All.empty() || fromOutside(Where))
    addAll(All, {Pointer{Named}});
  // An element with an unknown index may be any element.
  for (const Origin *Other : Blocks[Where.Base].Found) {
    Pointer At{Where.Base, Other->HolderOffset, Other->HolderOffset, Other->HolderOffset, {}};
    if (Other->Many)
      At.High = Unbounded, At.Low = 0, At.Strides = {Other->HolderStep ? Other->HolderStep : 8};
    if (Other != Named && (Other->Many || !Where.exact()) && mayMeet(Where, 8, At, 8))
      addAll(All, {Pointer{Other}});
  }
  if (fromOutside(Where) && Where.Base->What != Origin::Kind::Foreign)
    addAll(All, knownOutside(Named->Name.Type));
  return All;
}

/// The blocks that a pointer of code outside the sources may lead to.
const PointerSet &PointsTo::knownOutside(const DIType *Type) {
  constexpr std::size_t MostNamed = 8; // beyond, any memory
  auto &[Age, All] = KnownOutside[Type];
  // Blocks are only ever added.
  if (All.size() == 1 && !All[0].Base->named())
    return All;
  if (Current != Nobody)
    AskedOutside.add(Current);
  if (Age == Outside.size() + Registered.size())
    return All;
  Age = Outside.size() + Registered.size();
  All.clear();
  Type = strip(Type);
  if (isLibraryType(Type))
    return All;
  auto add = [&](const Origin *O) {
    if (All.size() <= MostNamed && mayBe(O, Type))
      addAll(All, {Pointer{O, 0, Unbounded, 0, {1}}});
  };
  for (const auto &[O, Bytes] : Outside)
    add(O);
  for (const Origin *O : Registered)
    add(O);
  if (All.size() > MostNamed)
    All = unknown();
  return All;
}

bool mayContain(const DIType *Outer, const DIType *Inner, unsigned Depth) {
  Outer = strip(Outer);
  Inner = strip(Inner);
  if (!Outer || !Inner || Depth > 4)
    return true; // as far as is known
  if (Outer == Inner || (Outer->getName() == Inner->getName() && !Inner->getName().empty()))
    return true;
  auto *Composite = dyn_cast<DICompositeType>(Outer);
  if (!Composite)
    return false;
  if (Composite->getTag() == dwarf::DW_TAG_array_type)
    return mayContain(Composite->getBaseType(), Inner, Depth + 1);
  for (const DINode *Element : Composite->getElements())
    if (auto *Member = dyn_cast_or_null<DIDerivedType>(Element); Member && !Member->isStaticMember())
      if (mayContain(Member->getBaseType(), Inner, Depth + 1))
        return true;
  return false;
}

/// May a pointer to this type of the program's point to the block? Access through another struct's type would
/// be undefined.
bool PointsTo::mayBe(const Origin *Block, const DIType *Type) const {
  if (!Block->named() || Block->What == Origin::Kind::Foreign)
    return false;
  auto *Composite = dyn_cast_or_null<DICompositeType>(Type);
  return !Composite || !Block->Name.Type || mayContain(Block->Name.Type, Type);
}

/// What was found behind the block while it was taken for one is one of many, too, at the same place in each.
void PointsTo::standForMany(const Origin *Block) {
  const_cast<Origin *>(Block)->Many = true;
  grown(Block->Holder);
  const std::int64_t Element = Block->Indirect ? sizeOf(Block->Name.Type).value_or(0) : 0;
  for (const Origin *Behind : Blocks[Block].Found)
    if (Behind->Holder == Block && !Behind->Many) {
      const_cast<Origin *>(Behind)->HolderStep = std::gcd(Behind->HolderStep, Element);
      standForMany(Behind);
    }
}

/// The block that a pointer kept at this place, and not set by the sources, points to.
const Origin *PointsTo::pointee(const Pointer &Where) {
  const Origin *Holder = Where.Base;
  std::int64_t Element = sizeOf(Holder->Name.Type).value_or(0), Offset = Where.Zeroed;
  // What the pointer to the holder points to may be an array of what its type says.
  if (Holder->Indirect && Element > 0)
    Offset %= Element;
  Named Slot = partOf({"", Holder->Name.Type}, false, Offset, 8, Where.Strides);
  auto *Derived = dyn_cast_or_null<DIDerivedType>(strip(Slot.Type));
  const DIType *Type = Derived ? clang_ir::pointee(Slot.Type) : nullptr;
  unsigned Depth = 0;
  for (const Origin *Up = Holder; Up && Up->What == Origin::Kind::Pointee; Up = Up->Holder, ++Depth)
    // The nodes of a list or tree are one block that stands for many.
    if (Type && Up->Holder && isa<DICompositeType>(Type) && strip(Up->Name.Type) == Type) {
      if (!Up->Many || Up->HolderStep) {
        const_cast<Origin *>(Up)->HolderStep = 0; // any of them may be found where another one was
        standForMany(Up);
      }
      return Up;
    }
  if (Depth > 8)
    return nullptr;
  Origin O{Holder->What == Origin::Kind::Foreign ? Origin::Kind::Foreign : Origin::Kind::Pointee, nullptr,
           ""};
  O.Key = "*" + Holder->Key + (Where.exact() ? "+" : "~") + std::to_string(Where.Zeroed);
  O.Name.Type = Type;
  O.Indirect = true;
  O.Many = !Where.exact() || Holder->Many;
  O.Apart = restrictAt(Holder->Name.Type, Offset);
  O.Holder = Holder;
  const_cast<Origin *>(Holder)->Leads = true;
  O.HolderOffset = Where.Zeroed;
  // In each of many blocks it is at this place, and behind each there may be more of its kind.
  const std::int64_t Step =
      Where.exact() && Holder->Many && Holder->Indirect ? Element : stepOf(Where, Where);
  O.HolderStep = Step;
  std::vector<const Origin *> &Found = Blocks[Holder].Found;
  Origin *Made = origin(std::move(O));
  if (Made->Name.Path.empty() && !Holder->Name.Path.empty())
    Made->Name.Path = pathIn(*Holder, Where, 8).Path;
  if (!Made->Name.Type && Type) {
    Made->Name.Type = Type;
    renamed(Made);
  }
  // The same place, by shorter steps.
  const bool Shorter = Made->HolderStep && std::gcd(Made->HolderStep, Step) != Made->HolderStep;
  if (Shorter)
    Made->HolderStep = std::gcd(Made->HolderStep, Step);
  const bool New = std::find(Found.begin(), Found.end(), Made) == Found.end();
  if (New)
    Found.push_back(Made);
  if (New || Shorter)
    grown(Holder);
  return Made;
}

void PointsTo::initialise(const Origin *Base, Block &B) {
  if (B.Initialised)
    return;
  B.Initialised = true;
  auto *Global = dyn_cast_or_null<GlobalVariable>(Base->Root);
  if (Base->What == Origin::Kind::Global && Global && Global->hasInitializer())
    initialise(*Global->getInitializer(), 0, Base, B);
}

void PointsTo::initialise(const Constant &C, std::int64_t Offset, const Origin *Base, Block &B) {
  if (isa<ConstantData>(C) || isa<BlockAddress>(C))
    return; // numbers and zeros; what is zero is set before it is used
  const DataLayout &Layout = cast<GlobalVariable>(Base->Root)->getParent()->getDataLayout();
  if (auto *Struct = dyn_cast<ConstantStruct>(&C)) {
    const StructLayout *Inner = Layout.getStructLayout(Struct->getType());
    for (unsigned I = 0; I < Struct->getNumOperands(); ++I)
      initialise(*Struct->getOperand(I), Offset + Inner->getElementOffset(I), Base, B);
    return;
  }
  if (auto *Array = dyn_cast<ConstantArray>(&C)) {
    std::int64_t Size = Layout.getTypeAllocSize(Array->getType()->getElementType());
    for (unsigned I = 0; I < Array->getNumOperands(); ++I)
      initialise(*Array->getOperand(I), Offset + I * Size, Base, B);
    return;
  }
  B.Cells.push_back({Pointer{Base, Offset, Offset, Offset, {}},
                     static_cast<std::int64_t>(Layout.getTypeStoreSize(C.getType())), Initial, of(0, &C)});
}

bool PointsTo::bySetup(InstanceId Writer) const {
  return Writer != Initial && Writer != Peers && (Instances[Writer]->Setup || !Instances[Writer]->Thread) &&
         !Entries.empty();
}

/// A slot that set-up code fills with one pointer, and nobody changes: what the threads call by the path to
/// it is that block.
void PointsTo::unite() {
  std::vector<std::pair<const Origin *, const Origin *>> ByLibrary;
  for (const auto &[Key, Base] : Origins)
    for (const Origin *Named : std::vector<const Origin *>(Blocks[Base.get()].Found)) {
      Pointer Slot{Base.get(), Named->HolderOffset, Named->HolderOffset, Named->HolderOffset, {}};
      if (Named->Many || fromOutside(Slot) || isLeftOpen(Slot) || Same.count(Named))
        continue;
      PointerSet Held = contents(Slot, 8, true);
      std::erase_if(Held, [&](const Pointer &P) {
        return P.Base == Named || P.Base->What == Origin::Kind::Null || P.Base->What == Origin::Kind::Foreign;
      });
      if (!Held.empty() && all_of(Held, [](const Pointer &P) { return P.Base->named(); }))
        const_cast<Origin *>(Named)->Apart = true;
      bool Only = Held.size() == 1 && Held[0].exact() && Held[0].Low == 0 && Held[0].Base->named() &&
                  !Held[0].Base->Many && Held[0].Base->What != Origin::Kind::Pointee;
      if (!Only)
        continue;
      // What a library's object leads to, ibv_mr::addr, say, is the block: the program's own, for all that.
      if (Named->What == Origin::Kind::Foreign) {
        ByLibrary.emplace_back(Named, Held[0].Base);
        continue;
      }
      if (Held[0].Base->Shown || isPublic(*Held[0].Base))
        const_cast<Origin *>(Named)->Shown = true;
      // The first name stands for the block, and for every other path to it.
      auto [Known, New] = Same.try_emplace(Held[0].Base, Named);
      if (!New)
        Same[Named] = Known->second;
    }
  for (const auto &[Named, Block] : ByLibrary) {
    auto Known = Same.find(Block);
    Same.try_emplace(Named, Known == Same.end() ? Block : Known->second);
  }
}

PointerSet PointsTo::united(PointerSet All) {
  if (Same.empty())
    return All;
  PointerSet Result;
  for (Pointer &P : All) {
    if (auto Found = Same.find(P.Base); Found != Same.end())
      P.Base = Found->second;
    addAll(Result, {P});
  }
  return Result;
}

void PointsTo::write(const Pointer &At, std::int64_t Size, InstanceId Writer, const PointerSet &All) {
  PointerSet Held = All;
  // Queue pairs and the like are told apart by the paths to them, as the topology tells them apart.
  if (bySetup(Writer)) {
    PointerSet Objects;
    std::copy_if(Held.begin(), Held.end(), std::back_inserter(Objects), isLibraryObject);
    if (!Objects.empty())
      putBySetup(At, Size, Objects);
    std::erase_if(Held, isLibraryObject);
  }
  if (isSeen(*At.Base, Writer))
    show(All);
  Block &B = Blocks[At.Base];
  initialise(At.Base, B);
  for (Cell &C : B.Cells)
    if (C.Writer == Writer && C.Size == Size && C.At == At) {
      if (addAll(C.Held, Held))
        grown(At, Size);
      return;
    }
  // Of a block with very many places, the rest is one.
  constexpr std::size_t MostCells = 4'000;
  Pointer Where = At;
  if (B.Cells.size() > MostCells)
    return write({At.Base, 0, Unbounded, 0, {1}}, Unbounded, Writer, Held);
  B.Cells.push_back({Where, Size, Writer, Held});
  noteWritten(At.Base);
  grown(At, Size);
}

/// Places of blocks that may be this one may hold what it holds.
void PointsTo::noteWritten(const Origin *Block) {
  if (!kinsOf(*Block).empty() && WrittenKin.insert(Block).second)
    wakeKin(*Block, false);
}

void PointsTo::copy(const PointerSet &To, const PointerSet &From, std::int64_t Length, InstanceId Writer) {
  for (const Pointer &T : To)
    for (const Pointer &S : From) {
      if (T.Base->What == Origin::Kind::Unknown && S.Base->named() && bySetup(Writer))
        show(contents(S, Length, true));
      if (!T.Base->named())
        continue;
      if (!S.Base->named()) {
        if (S.Base->What == Origin::Kind::Unknown)
          write(T, Length, Writer, unknown());
        continue;
      }
      if (bySetup(Writer))
        copyBySetup(T, S, Length);
      if (isSeen(*T.Base, Writer)) {
        show(contents(S, Length, true));
        showKept(setUpIn(T.Base), true);
      }
      std::vector<Copy> &Known = Blocks[T.Base].Copies;
      Copy C{T, S, Length, Writer};
      if (Known.size() >= MostCopies)
        C = {{T.Base, 0, Unbounded, 0, {1}}, {S.Base, 0, Unbounded, 0, {1}}, Unbounded, Writer};
      if (std::find(Known.begin(), Known.end(), C) == Known.end()) {
        Known.push_back(C);
        noteWritten(T.Base);
        grown(C.To, C.Length);
      }
    }
}

/// Parts of an address, or what is computed from it, that are not followed.
void PointsTo::leak(const PointerSet &Pointers) {
  for (const Pointer &P : Pointers)
    if (P.Base->named())
      Leaked.insert(P.Base);
}

std::vector<const Origin *> PointsTo::addressTaken() {
  std::set<const Origin *, ByKey> All(Registered.begin(), Registered.end());
  All.insert(Leaked.begin(), Leaked.end());
  for (const auto &[Base, Bytes] : Outside)
    All.insert(Base);
  auto add = [&All](const PointerSet &Kept) {
    for (const Pointer &P : Kept)
      if (P.Base->named() && !isLibraryObject(P))
        All.insert(P.Base);
  };
  for (const auto &[Base, Held] : Blocks)
    for (const Cell &C : Held.Cells)
      add(C.Held);
  for (const auto &[By, Held] : Thrown)
    add(Held.All);
  // What begins with an address may be sent without being looked at.
  for (const GlobalVariable &Global : Instances.front()->F.getParent()->globals())
    if (Global.hasInitializer())
      addMentioned(*Global.getInitializer(), All);
  // Whoever calls the entries knows these by their names, or was handed them.
  for (const auto &[Key, Block] : Origins)
    if (!Begins && (Block->Shown || isPublic(*Block)))
      All.insert(Block.get());
  return {All.begin(), All.end()};
}

void PointsTo::addMentioned(const Constant &C, std::set<const Origin *, ByKey> &All) const {
  if (auto *Global = dyn_cast<GlobalVariable>(&C))
    if (auto Known = Origins.find("::" + Global->getName().str()); Known != Origins.end())
      All.insert(Known->second.get());
  if (!isa<GlobalValue>(C))
    for (const Use &Part : C.operands())
      if (auto *Inner = dyn_cast<Constant>(Part))
        addMentioned(*Inner, All);
}

} // namespace rdma::clang_ir
