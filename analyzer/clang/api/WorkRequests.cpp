#include "analyzer/clang/api/WorkRequests.h"

#include <llvm/Analysis/ValueTracking.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

enum : unsigned { LongestChain = 64 };

PointerSet pointersIn(Pointers &Where, const Contents &What) {
  PointerSet All;
  for (const Content &C : What) {
    if (C.What == Content::Kind::Unknown)
      return {};
    if (C.What != Content::Kind::Value)
      continue;
    bool IsPointer = C.V->getType()->isPointerTy();
    PointerSet Some = IsPointer ? Where.resolve(C.V) : Where.resolveAddress(C.V);
    if (Some.empty() && !IsPointer)
      return {};
    Pointers::addAll(All, Some);
  }
  return All;
}

/// A place of the program's memory, and how it was computed, if that still holds.
struct Found {
  Pointer At;
  const Value *Address = nullptr;
  std::int64_t Behind = 0;
};

Found moved(Found Place, std::int64_t By) {
  Place.At = clang_ir::moved(Place.At, By);
  Place.Behind += By;
  return Place;
}

/// The one place that the pointers lead to; absent when there are more, or it is any place.
std::optional<Found> onePlace(const PointerSet &All, const Value *Address) {
  bool Followed = All.size() == 1 && All[0].Base->named() && (All[0].exact() || Address);
  return Followed ? std::optional(Found{All[0], Address}) : std::nullopt;
}

class ChainReader {
public:
  ChainReader(MemoryReader &Memory, Pointers &Where, const CallBase *Call)
      : Memory(Memory), Where(Where), Call(Call) {}

  WorkChain read(const Value *List) {
    WorkChain Chain;
    std::optional<Found> At = onePlace(Where.resolve(List), List);
    for (unsigned I = 0; I < LongestChain; ++I) {
      if (!At) {
        Chain.Whole = false;
        if (Chain.Requests.empty())
          Chain.Requests.push_back({});
        return Chain;
      }
      Chain.Requests.push_back(request(*At));
      Chain.Requests.back().Forms = forms(*At);
      Contents Next = field(*At, layout::Next, 8);
      if (single(Memory.constants(Next)) == 0)
        return Chain;
      At = onePlace(pointersIn(Where, Next), Memory.current(Next, Call));
      Chain.Requests.back().MayBeLast = mayBeNull(Next);
    }
    Chain.Whole = false;
    return Chain;
  }

private:
  bool mayBeNull(const Contents &What) {
    for (const Content &C : What) {
      if (C.What != Content::Kind::Value)
        return true;
      for (const Value *V : Memory.alternatives(C.V))
        if (!isa<AllocaInst>(getUnderlyingObject(V, 0)) && !isa<GlobalVariable>(getUnderlyingObject(V, 0)))
          return true;
    }
    return false;
  }

  Contents field(const Found &Request, std::int64_t Offset, std::int64_t Size) {
    Found Place = moved(Request, Offset);
    Contents All = Memory.read(Place.At, Size, Call, Place.Address, Place.Behind);
    return Chosen ? Chosen->of(All, Place.At, Where, Call) : All;
  }

  /// One for each outcome of what chooses the kind of request, or else what it asks for.
  std::vector<WorkRequest> forms(const Found &At) {
    std::vector<WorkRequest> All;
    const std::pair<std::int64_t, std::int64_t> Fields[] = {
        {layout::OpcodeAt, 4}, {layout::FlagsAt, 4}, {layout::RemoteAddr, 8}};
    for (const auto &[Offset, Size] : Fields) {
      const std::vector<Choice> Choices =
          At.At.exact() ? choicesOf(field(At, Offset, Size), At.At, Where, Call) : std::vector<Choice>();
      for (const Choice &C : Choices) {
        Chosen = &C;
        All.push_back(request(At));
        Chosen = nullptr;
      }
      if (!All.empty())
        break;
    }
    return All;
  }

  WorkRequest request(const Found &At) {
    WorkRequest R;
    R.Opcodes = Memory.constants(field(At, layout::OpcodeAt, 4));
    Contents Flags = field(At, layout::FlagsAt, 4);
    R.Flags = Memory.constants(Flags);
    if (!R.Flags || R.Flags->size() != 1)
      R.StoredFlags = Memory.current(Flags, Call);
    Contents Id = field(At, 0, 8);
    R.StoredId = Memory.current(Id, Call);
    if (auto Number = single(Memory.constants(Id)); Number && !R.StoredId)
      R.StoredId = ConstantInt::get(Type::getInt64Ty(Call->getContext()), *Number);
    R.Segments = segments(At);
    Contents Remote = field(At, layout::RemoteAddr, 8);
    R.RemoteConstant = single(Memory.constants(Remote));
    for (const Content &C : Remote) {
      if (C.What == Content::Kind::Unknown) {
        R.Remote.clear();
        break;
      }
      if (C.What == Content::Kind::Value)
        for (const Value *V : Memory.alternatives(C.V))
          R.Remote.push_back(V);
    }
    R.CompareAdd = single(Memory.constants(field(At, layout::CompareAdd, 8)));
    R.Swap = single(Memory.constants(field(At, layout::Swap, 8)));
    return R;
  }

  std::optional<std::vector<Segment>> segments(const Found &At) {
    auto Count = single(Memory.constants(field(At, layout::NumSge, 4)));
    if (!Count || *Count > MostSegments)
      return std::nullopt;
    if (*Count == 0)
      return std::vector<Segment>{};
    Contents Field = field(At, layout::SgList, 8);
    PointerSet List = pointersIn(Where, Field);
    if (List.size() != 1)
      return std::nullopt;
    return readSegments(Memory, Where, List[0], *Count, Call, ScatterGather, Memory.current(Field, Call),
                        Chosen);
  }

  MemoryReader &Memory;
  Pointers &Where;
  const CallBase *Call;
  const Choice *Chosen = nullptr;
};

} // namespace

std::optional<std::uint64_t> single(const std::optional<std::vector<std::uint64_t>> &Values) {
  if (!Values || Values->size() != 1)
    return std::nullopt;
  return Values->front();
}

/// What the lengths may be, as 64 bits.
static ConstantRange rangeIn(MemoryReader &Memory, Pointers &Where, const Contents &Lengths,
                             const Instruction *At) {
  const Value *Current = Memory.current(Lengths, At);
  ConstantRange All = ConstantRange::getEmpty(64);
  for (const Content &C : Lengths) {
    if (C.What == Content::Kind::Constant)
      All = All.unionWith(ConstantRange(APInt(64, C.Constant)));
    else if (C.What == Content::Kind::Value && C.V->getType()->isIntegerTy())
      All = All.unionWith(Where.boundsOf(C.V, C.V == Current ? At : nullptr).zextOrTrunc(64));
    else
      return ConstantRange::getFull(64);
  }
  return All;
}

void setLength(Segment &S, MemoryReader &Memory, Pointers &Where, const Contents &Lengths,
               const Instruction *At) {
  constexpr std::uint64_t LongestMessage = std::uint64_t(1) << 30;
  MemoryReader::Numbers Known = Memory.constants(Lengths);
  if (auto Length = single(Known))
    S.Length = *Length;
  const ConstantRange Range = rangeIn(Memory, Where, Lengths, At);
  S.MayBeEmpty = Range.contains(APInt::getZero(64));
  const std::uint64_t Most = Known ? Known->back() : Range.getUnsignedMax().getZExtValue();
  if (Most <= LongestMessage)
    S.Most = Most;
}

std::vector<Segment> readSegments(MemoryReader &Memory, Pointers &Where, const Pointer &Place,
                                  std::uint64_t Count, const Instruction *At, const SegmentLayout &Entries,
                                  const Value *Address, const Choice *Only) {
  std::vector<Segment> All;
  for (std::uint64_t I = 0; I < Count; ++I) {
    auto field = [&](std::int64_t Offset, std::int64_t Size) {
      std::int64_t Behind = I * Entries.Size + Offset;
      const Pointer Field = moved(Place, Behind);
      Contents Held = Memory.read(Field, Size, At, Address, Behind);
      return Only ? Only->of(Held, Field, Where, At) : Held;
    };
    Segment S;
    Contents Held = field(Entries.Address, 8);
    S.Address = pointersIn(Where, Held);
    S.Stored = Memory.current(Held, At);
    setLength(S, Memory, Where, field(Entries.Length, Entries.LengthSize), At);
    All.push_back(std::move(S));
  }
  return All;
}

WorkChain readChain(MemoryReader &Memory, Pointers &Where, const Value *List, const CallBase *Call) {
  return ChainReader(Memory, Where, Call).read(List);
}

} // namespace rdma::clang_ir
