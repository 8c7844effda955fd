// Objects of libraries that set-up code makes. Threads tell queue pairs, regions and their like apart by the
// paths to them, as the topology does; what is in such an object, as the buffer of a region or the context of
// a queue pair, is what is in those that set-up code has put into that place.
#include "analyzer/clang/memory/PointsTo.h"

namespace rdma::clang_ir {

using namespace llvm;

/// A block beside this one: of its places, the objects of libraries that set-up code puts there.
const Origin *PointsTo::setUpIn(const Origin *Block) {
  Origin O;
  O.What = Origin::Kind::Heap;
  O.Key = "#" + Block->Key;
  O.Many = Block->Many;
  return origin(std::move(O));
}

void PointsTo::putBySetup(const Pointer &At, std::int64_t Size, const PointerSet &Objects) {
  Pointer Beside = At;
  Beside.Base = setUpIn(At.Base);
  write(Beside, Size, Initial, Objects);
}

void PointsTo::copyBySetup(const Pointer &To, const Pointer &From, std::int64_t Length) {
  Pointer Into = To, Of = From;
  Into.Base = setUpIn(To.Base);
  Of.Base = setUpIn(From.Base);
  copy({Into}, {Of}, Length, Initial);
}

/// The slots of set-up code that a path leads through: of the block that has the path, and of those that the
/// pointer to it may lead to.
PointerSet PointsTo::slotsInSetUp(const Origin *Object) {
  const Origin *Holder = Object->Holder;
  Pointer Slot{setUpIn(Holder), Object->HolderOffset, Object->HolderOffset, Object->HolderOffset, {}};
  PointerSet All{Slot};
  if (Holder->What == Origin::Kind::Pointee && Holder->Holder) {
    const std::int64_t At = Holder->HolderOffset;
    for (Pointer P : PointerSet(read(place({Holder->Holder, At, At, At, {}}, 8, true).Now)))
      if (P.Base->named() && P.Base != Holder && P.exact()) {
        P.Base = setUpIn(P.Base);
        addAll(All, {moved(P, Object->HolderOffset)});
      }
  }
  if (Object->Many)
    for (Pointer &P : All)
      P.blur();
  return All;
}

/// The program's memory that a pointer in such an object leads to.
PointerSet PointsTo::keptInSetUp(const Pointer &Where) {
  const Origin *Object = Where.Base;
  if (!isLibraryObject(Pointer{Object}) || !Object->Holder || Entries.empty())
    return {};
  PointerSet Objects, All;
  for (const Pointer &Slot : slotsInSetUp(Object))
    addAll(Objects, read(place(Slot, 8, true).Now));
  for (Pointer &Made : Objects) {
    if (!Made.Base->named() || Made.Base == Object)
      continue;
    Made.shift(Where.Low, Where.High);
    Made.Zeroed += Where.Zeroed;
    for (const Pointer &P : PointerSet(read(place(Made, 8, true).Now)))
      if (P.Base->named() && !isLibraryObject(P))
        addAll(All, {P});
  }
  return All;
}

} // namespace rdma::clang_ir
