// What bytes hold that somebody asks for, followed through copies: a step of the worklist for each such
// place.
//
// A struct that is copied from block to block would otherwise be followed through the whole chain for every
// field and every reader, again and again. So a place reads the places that it is copied from like a phi
// reads what comes in, and is done again when one of them has grown.
#include "analyzer/clang/memory/Kin.h"
#include "analyzer/clang/memory/PointsTo.h"

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Places of a block that copies ask for and that are kept apart. A block that is copied within itself, as a
/// vector that grows may be, has no last one.
constexpr unsigned MostCopiedFrom = 64;

/// Without objects of libraries, and without what is known.
PointerSet ofProgram(const PointerSet &All, const PointerSet &Known) {
  PointerSet Result;
  for (const Pointer &P : All)
    if (!is_contained(Known, P) && !isLibraryObject(P))
      Result.push_back(P);
  return Result;
}

} // namespace

PointsTo::PlaceKey PointsTo::keyOf(const Pointer &Where, std::int64_t Size, bool IsPointer, bool Own) {
  // Places that differ hold different things, but of those of which nothing is known there is one in a block.
  bool Blurred = Where.Low == 0 && Where.High == Unbounded && Where.Strides == std::vector<std::int64_t>{1};
  return {Where.Base, Where.Low, Where.High, Blurred ? 0 : Where.Zeroed, Where.Strides, Size, IsPointer, Own};
}

PointsTo::Place &PointsTo::place(const Pointer &Where, std::int64_t Size, bool IsPointer, bool Own) {
  Place *&Known = KnownPlaces[keyOf(Where, Size, IsPointer, Own)];
  if (!Known) {
    Places.push_back(std::make_unique<Place>(Place{Where, Size, IsPointer, Own}));
    Due.addAsked();
    Known = Places.back().get();
  }
  return *Known;
}

/// Numbers among it.
PointerSet PointsTo::held(const Pointer &Where, std::int64_t Size, bool IsPointer) {
  if (Where.Base->What == Origin::Kind::Null || Where.Base->What == Origin::Kind::Code)
    return {};
  if (!Where.Base->named())
    return IsPointer ? unknown() : PointerSet{Pointer{Number}};
  Place &Asked = place(Where, Size, IsPointer);
  settle();
  return read(Asked.Now);
}

/// Brings all places up to date: nobody sees one that is half known.
void PointsTo::settle() {
  Step Asking = Current;
  while (std::optional<Step> Next = Due.takeAsked()) {
    Current = *Next;
    update(*Places[Worklist::numberOfAsked(*Next)]);
  }
  Current = Asking;
}

void PointsTo::update(Place &P) {
  PointerSet &All = P.Now.All;
  if (isEverything(All))
    return;
  Block &B = Blocks[P.Where.Base];
  B.Asked.add(P.Where.Low, endOf(P.Where, std::max<std::int64_t>(P.Size, 8)), Current);
  initialise(P.Where.Base, B);
  bool Found = false, Grown = takeKept(P, Found);
  if (!P.Own) {
    for (Place *Other : otherNames(P))
      Grown |= addAll(All, read(Other->Now));
    if (comesFromOutside(P.Where, Found))
      Grown |= addAll(All, fromOutside(P.Where, P.IsPointer));
  }
  if (Grown)
    P.Now.Asked.wake(Due);
}

/// The places that may be this one, of blocks that are written to.
const std::vector<PointsTo::Place *> &PointsTo::otherNames(Place &P) {
  if (!std::exchange(P.KinKnown, true)) {
    P.Others.clear();
    for (const Origin *Other : WrittenKin)
      for (const Pointer &Where : placesIn(*Other, P.Where, P.Size))
        P.Others.push_back(&place(Where, P.Size, P.IsPointer, true));
  }
  return P.Others;
}

/// More is known of what this block may be, or it is written to for the first time.
void PointsTo::wakeKin(const Origin &Block, bool Renamed) {
  const bool Written = WrittenKin.count(&Block);
  for (unsigned Number = 0; Number < Places.size(); ++Number) {
    Place &P = *Places[Number];
    const bool Related = Written && !P.Own && !placesIn(Block, P.Where, P.Size).empty();
    if (Related)
      Due.wake(Worklist::askedOf(Number));
    if (Related || (Renamed && (Written || P.Where.Base == &Block)))
      P.KinKnown = false;
  }
}

/// Adds what stores and copies have put there to what the place may hold. Found: some did that are no set-up
/// code.
bool PointsTo::takeKept(Place &P, bool &Found) {
  PointerSet &All = P.Now.All;
  const Pointer &Where = P.Where;
  bool Grown = false;
  for (const Cell &C : Blocks[Where.Base].Cells)
    if (mayMeet(Where, P.Size, C.At, C.Size)) {
      Found |= !bySetup(C.Writer);
      Grown |= addAll(All, C.Held);
    }
  for (std::size_t I = 0; I < Blocks[Where.Base].Copies.size(); ++I) {
    const Copy C = Blocks[Where.Base].Copies[I];
    if (!mayMeet(Where, P.Size, C.To, C.Length))
      continue;
    const bool Setup = bySetup(C.Writer);
    Found |= !Setup;
    Place &From = copied(P, C);
    if (&From != &P)
      Grown |= addAll(All, Setup ? ofProgram(read(From.Now), All) : read(From.Now));
  }
  return Grown;
}

/// The place that a copy takes from, of what is asked for.
PointsTo::Place &PointsTo::copied(const Place &To, const Copy &C) {
  Pointer From = C.From;
  const Pointer &Where = To.Where;
  bool Indexed = !Where.Strides.empty() || !C.To.Strides.empty() || !C.From.Strides.empty();
  std::int64_t Step = stepOf(C.To, Where);
  if (Where.exact() && C.To.exact() && C.From.exact()) {
    From.Low = From.High = From.Low + (Where.Low - C.To.Low);
    From.Zeroed += Where.Low - C.To.Low;
    if (From.Low < 0)
      From.blur();
  } else if (Indexed && C.From.exact() && Step > 1 && C.Length <= Step) {
    // A struct copied into an array: the member is the same, the element is not known.
    std::int64_t Ahead = aheadOf(C.To, Where, Step);
    From.Low = From.High = From.Low + Ahead;
    From.Zeroed += Ahead;
  } else {
    From.blur();
  }
  if (!KnownPlaces.count(keyOf(From, To.Size, To.IsPointer)) &&
      ++Blocks[From.Base].CopiedFrom > MostCopiedFrom)
    From.blur();
  return place(From, To.Size, To.IsPointer);
}

} // namespace rdma::clang_ir
