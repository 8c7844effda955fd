#include "analyzer/clang/memory/Kin.h"

#include "analyzer/clang/memory/PointsTo.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/GlobalVariable.h>

#include <numeric>

namespace rdma::clang_ir {

using namespace llvm;

bool isPublic(const Origin &O) {
  auto *Global = dyn_cast_or_null<GlobalVariable>(O.Root);
  return O.What == Origin::Kind::Global && Global && !Global->hasLocalLinkage() && !Global->isThreadLocal();
}

namespace {

constexpr unsigned Deepest = 4; // of members within members

const DICompositeType *arrayOf(const DIType *Type) {
  auto *Composite = dyn_cast_or_null<DICompositeType>(strip(Type));
  return Composite && Composite->getTag() == dwarf::DW_TAG_array_type ? Composite : nullptr;
}

const DIType *elementOf(const DIType *Type) {
  while (const DICompositeType *Array = arrayOf(Type))
    Type = Array->getBaseType();
  return strip(Type);
}

const DICompositeType *structOf(const DIType *Type) {
  auto *Composite = dyn_cast_or_null<DICompositeType>(Type);
  return Composite && Composite->getTag() != dwarf::DW_TAG_enumeration_type ? Composite : nullptr;
}

/// What a program fills in for a post, or a poll for it: such memory has no name that tells it from other.
bool isOfRequests(const DIType *Type) {
  return Type && is_contained({"ibv_send_wr", "ibv_recv_wr", "ibv_sge", "ibv_wc"}, Type->getName());
}

bool holdsHandleWithin(const DIType *Type, unsigned Depth) {
  Type = elementOf(Type);
  if (isOfRequests(Type) || isOfRequests(pointee(Type)))
    return false;
  if (isLibraryType(pointee(Type)))
    return true;
  const DICompositeType *Struct = structOf(Type);
  return Struct && Depth < Deepest &&
         any_of(
             membersOf(*Struct),
             [&](const DIDerivedType *Member) {
               return holdsHandleWithin(Member->getBaseType(), Depth + 1);
             });
}

} // namespace

bool holdsHandle(const DIType *Type) { return holdsHandleWithin(Type, 0); }

namespace {

bool isByte(const DIType *Type) {
  auto *Basic = dyn_cast_or_null<DIBasicType>(Type);
  return Basic && Basic->getSizeInBits() == 8;
}

/// Numbers go by their size: a pointer to signed ones may lead to unsigned ones.
std::string kinOf(const DIType *Type) {
  auto *Composite = dyn_cast<DICompositeType>(Type);
  const bool Number = isa<DIBasicType>(Type) || (Composite && !structOf(Type));
  return Number ? "number of " + std::to_string(Type->getSizeInBits()) + " bits" : spelt(Type);
}

/// The parts of a block, of which each is a struct, an array of such or of numbers, or a variable. Bytes are
/// where buffers are made of, and any pointer to plain data may lead there.
class PartsOf {
public:
  explicit PartsOf(std::vector<KinBytes> &All) : All(All) {}

  void add(const DIType *Type, std::int64_t Begin, bool Variable, unsigned Depth = 0) {
    const DIType *Element = elementOf(Type);
    if (!Element || isa<DISubroutineType>(Element))
      return;
    const std::int64_t Size = sizeOf(Type).value_or(0), End = Size ? Begin + Size : Unbounded;
    const bool Array = arrayOf(Type);
    if ((Array || Variable || structOf(Element)) && !holdsHandle(Element))
      All.push_back(
          {Array && isByte(Element) ? "" : kinOf(Element), Begin, End, sizeOf(Element).value_or(1), true});
    if (structOf(Element) && Depth < Deepest)
      addMembers(*structOf(Element), Begin, Array ? std::optional(End) : std::nullopt, Depth + 1);
  }

  /// EndOfAll: of an array of such structs, of which the first stands for all.
  void addMembers(const DICompositeType &Struct, std::int64_t Begin, std::optional<std::int64_t> EndOfAll,
                  unsigned Depth) {
    const std::size_t Before = All.size();
    for (const DIDerivedType *Member : membersOf(Struct))
      add(Member->getBaseType(), Begin + Member->getOffsetInBits() / 8, false, Depth);
    if (EndOfAll)
      for (KinBytes &Part : MutableArrayRef(All).drop_front(Before))
        Part.End = *EndOfAll, Part.Step = 1;
  }

private:
  std::vector<KinBytes> &All;
};

/// An entry may be given it as well as by its name.
bool isKnown(const Origin &O) {
  auto *Global = dyn_cast_or_null<GlobalVariable>(O.Root);
  return (isPublic(O) || O.Shown) && !(Global && Global->isConstant());
}

/// A pointer that another file defines, of which only that is known.
bool isPointerOfOthers(const Origin &O) {
  auto *Global = dyn_cast_or_null<GlobalVariable>(O.Root);
  return Global && Global->isDeclaration() && Global->getValueType()->isPointerTy();
}

/// What an entry is given or finds there, and nobody tells which block it is.
bool isGiven(const Origin &O) {
  const DIType *In = O.Holder ? strip(O.Holder->Name.Type) : nullptr;
  const bool OfRegion = O.What == Origin::Kind::Foreign && In && In->getName() == "ibv_mr";
  return (O.What == Origin::Kind::Pointee || OfRegion) && !O.Apart && (elementOf(O.Name.Type) || !O.Leads);
}

/// What a stream of the C library is made of is the library's own: no pointer of the program leads to its
/// members, only to the whole.
constexpr StringRef Stream = "_IO_FILE";
bool isStream(const DIType *Type) { return Type && Type->getName() == Stream; }

/// What stdin, stdout and stderr lead to, of which a source that does not define them has no type.
bool isStandardStream(const Origin &O) {
  auto *Held = O.Holder ? dyn_cast_or_null<GlobalVariable>(O.Holder->Root) : nullptr;
  return !O.Name.Type && O.What == Origin::Kind::Pointee && Held && Held->isDeclaration() &&
         is_contained({"stdin", "stdout", "stderr"}, Held->getName());
}

/// What a library's own queue pair begins with, where its type is that. Of a class that is only declared
/// nobody knows.
bool holdsQueuePair(const DIType *Type, unsigned Depth = 0) {
  Type = elementOf(Type);
  const DICompositeType *Struct = structOf(Type);
  if (!Struct)
    return !Type || isByte(Type);
  return Depth == Deepest || Struct->isForwardDecl() ||
         is_contained({"ibv_qp", "ibv_qp_ex"}, Struct->getName()) ||
         any_of(membersOf(*Struct), [&](const DIDerivedType *Member) {
           const DIType *Of = elementOf(Member->getBaseType());
           return structOf(Of) && holdsQueuePair(Of, Depth + 1);
         });
}

/// The pointer may be to one of several such structs: the parts of those behind the first.
void repeat(std::vector<KinBytes> &All, std::size_t From, std::int64_t Size) {
  for (std::size_t I = From, Last = All.size(); I < Last; ++I)
    All.push_back({All[I].Kin, All[I].Begin + Size, Unbounded, 1, true});
}

} // namespace

bool mayBeQueuePair(const Origin &Block) {
  constexpr std::int64_t Word = 8, QueuePair = 160;
  if (Block.What == Origin::Kind::Foreign || holdsQueuePair(Block.Name.Type))
    return true;
  if (Block.What != Origin::Kind::Pointee)
    return false;
  const std::int64_t Size = sizeOf(elementOf(Block.Name.Type)).value_or(0);
  return Size <= Word || Size >= QueuePair;
}

/// The kins of a block, and what they follow from.
struct KnownKins {
  const DIType *Type;
  bool Known, Given;
  std::vector<KinBytes> All;
};

static std::vector<KinBytes> computed(const Origin &O, bool Known, bool Given) {
  std::vector<KinBytes> All;
  // A block of set-up code by the name of a pointer to it is one block, as a variable is, of any length.
  if (Known && !Given && O.What == Origin::Kind::Pointee) {
    All = computed(O, false, true);
    for (KinBytes &Bytes : All)
      Bytes.Part = true;
    return All;
  }
  const DIType *Type = elementOf(O.Name.Type);
  if (Known && Type)
    PartsOf(All).add(O.Name.Type, 0, true);
  else if (Known && !isPointerOfOthers(O))
    All.push_back({"", 0, Unbounded, 1, true});
  if (!Given)
    return All;
  if (isStandardStream(O))
    return {{Stream.str(), 0, Unbounded, 1}};
  const std::optional<std::int64_t> Size = sizeOf(Type);
  if (!holdsHandle(Type)) {
    if (isPlainData(Type))
      All.push_back({"", 0, Unbounded, 1});
    if (Type)
      All.push_back({kinOf(Type), 0, Unbounded, Size.value_or(1)});
  }
  if (const DICompositeType *Struct = structOf(Type); Struct && !isStream(Type)) {
    const std::size_t Before = All.size();
    PartsOf(All).addMembers(*Struct, 0, std::nullopt, 1);
    repeat(All, Before, Size.value_or(1));
  }
  return All;
}

const std::vector<KinBytes> &kinsOf(const Origin &O) {
  const bool Known = isKnown(O), Given = isGiven(O);
  if (!O.Kins || O.Kins->Type != O.Name.Type || O.Kins->Known != Known || O.Kins->Given != Given)
    O.Kins = std::make_shared<const KnownKins>(O.Name.Type, Known, Given, computed(O, Known, Given));
  return O.Kins->All;
}

namespace {

/// A place in the bytes that may be elements of those in which it was found, whichever.
Pointer placeAmong(const Origin &Block, const KinBytes &Bytes, const Pointer &Found, const KinBytes &In) {
  Pointer Place{&Block, Bytes.Begin, Bytes.End == Unbounded ? Unbounded : Bytes.End - 1, Bytes.Begin, {1}};
  const std::int64_t Step = std::gcd(Bytes.Step, In.Step);
  if (Step <= 1 || (!Found.exact() && Found.Strides.empty()))
    return Place;
  Place.Strides = Found.Strides;
  Place.Strides.push_back(Step);
  Place.Zeroed += ((Found.Zeroed - In.Begin) % Step + Step) % Step;
  return Place;
}

bool reaches(const Pointer &Where, std::int64_t Size, const KinBytes &Bytes) {
  return (Bytes.End == Unbounded || Where.Low < Bytes.End) && endOf(Where, Size) > Bytes.Begin;
}

} // namespace

PointerSet placesIn(const Origin &Other, const Pointer &Where, std::int64_t Size) {
  PointerSet All;
  if (&Other == Where.Base)
    return All;
  const std::vector<KinBytes> &Mine = kinsOf(*Where.Base), &Theirs = Mine.empty() ? Mine : kinsOf(Other);
  for (const KinBytes &M : Mine)
    for (const KinBytes &T : Theirs)
      if (M.Kin == T.Kin && !(M.Part && T.Part) && reaches(Where, Size, M))
        addAll(All, {placeAmong(Other, T, Where, M)});
  return All;
}

bool mayShare(const Pointer &A, std::int64_t Size, const Pointer &B, std::int64_t OtherSize) {
  return A.Base == B.Base ? mayMeet(A, Size, B, OtherSize)
                          : any_of(placesIn(*B.Base, A, Size),
                                   [&](const Pointer &P) { return mayMeet(P, Size, B, OtherSize); });
}

bool mayShare(const Origin &A, const Origin &B) {
  return &A == &B || !placesIn(B, {&A, 0, Unbounded, 0, {1}}, Unbounded).empty();
}

} // namespace rdma::clang_ir
