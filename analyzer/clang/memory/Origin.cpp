#include "analyzer/clang/memory/PointsTo.h"

#include <algorithm>
#include <numeric>

namespace rdma::clang_ir {
namespace {

/// Pointers into one block that a set keeps apart.
constexpr unsigned MostPlaces = 24;
/// Pointers in a set.
constexpr std::size_t MostPointers = 64;

/// A set that has grown too large is this one pointer, for good.
const Origin &everything() {
  static const Origin Any{Origin::Kind::Unknown, nullptr, "?*"};
  return Any;
}

/// Every pointer into the block of the first, as one.
Pointer hull(const PointerSet &All, const Origin *Base) {
  Pointer Whole{Base, 0, Unbounded, 0, {}};
  bool First = true;
  for (const Pointer &P : All) {
    if (P.Base != Base)
      continue;
    if (First)
      Whole.Zeroed = P.Zeroed, Whole.Strides = P.Strides, First = false;
    else if (Whole.Zeroed != P.Zeroed || Whole.Strides != P.Strides)
      Whole.Strides = {1};
  }
  return Whole;
}

} // namespace

std::int64_t endOf(const Pointer &P, std::int64_t Size) {
  return P.High == Unbounded || Size == Unbounded ? Unbounded : P.High + Size;
}

void Pointer::blur() {
  widen();
  Strides = {1};
}

void Pointer::shift(std::int64_t Least, std::int64_t Most) {
  if (High == Unbounded || Most == Unbounded || Low + Least < 0)
    return widen();
  Low += Least;
  High += Most;
}

Pointer moved(Pointer P, std::int64_t By) {
  P.shift(By, By);
  P.Zeroed += By;
  return P;
}

std::int64_t stepOf(const Pointer &A, const Pointer &B) {
  std::int64_t Step = 0;
  for (const Pointer *P : {&A, &B})
    for (std::int64_t Stride : P->Strides)
      Step = std::gcd(Step, Stride);
  return Step;
}

std::int64_t aheadOf(const Pointer &A, const Pointer &B, std::int64_t Step) {
  return ((B.Zeroed - A.Zeroed) % Step + Step) % Step;
}

bool mayMeet(const Pointer &A, std::int64_t Size, const Pointer &B, std::int64_t OtherSize) {
  if (A.Low >= endOf(B, OtherSize) || B.Low >= endOf(A, Size))
    return false;
  // Elements of arrays of one shape: other members are other bytes, whatever the index.
  std::int64_t Step = stepOf(A, B);
  if (Step <= 1 || Size >= Step || OtherSize >= Step)
    return true;
  std::int64_t Ahead = aheadOf(A, B, Step);
  return Ahead < Size || Step - Ahead < OtherSize;
}

bool isEverything(const PointerSet &All) { return All.size() == 1 && All[0].Base == &everything(); }

bool addAll(PointerSet &All, const PointerSet &More) {
  if (isEverything(All))
    return false;
  bool Changed = false;
  for (const Pointer &P : More) {
    if (P.Base == &everything() || All.size() >= MostPointers) {
      All = {Pointer{&everything(), 0, Unbounded, 0, {1}}};
      return true;
    }
    unsigned Places = 0;
    bool Known = false;
    for (const Pointer &Q : All) {
      Places += Q.Base == P.Base;
      Known |= Q == P || (Q.Base == P.Base && Q.High == Unbounded && Q.Low == 0 && Q.Strides.size() == 1 &&
                          Q.Strides[0] == 1);
    }
    if (Known)
      continue;
    Changed = true;
    All.push_back(P);
    if (Places + 1 <= MostPlaces)
      continue;
    Pointer Whole = hull(All, P.Base);
    Whole.Strides = {1};
    std::erase_if(All, [&](const Pointer &Q) { return Q.Base == P.Base; });
    All.push_back(std::move(Whole));
  }
  return Changed;
}

Named pathIn(const Origin &Block, const Pointer &Where, std::int64_t Size) {
  std::int64_t Offset = Where.High == Unbounded || !Where.exact() ? Where.Zeroed : Where.Low;
  Named Object = Block.Name;
  bool Indirect = Block.Indirect;
  // The memory may be an array of what the pointer to it says.
  std::int64_t Element = sizeOf(Object.Type).value_or(0);
  bool Any = std::count(Where.Strides.begin(), Where.Strides.end(), Element);
  if (Indirect && Element && (Offset >= Element || Any)) {
    Object.Path += Any ? "[*]" : "[" + std::to_string(Offset / Element) + "]";
    Offset %= Element;
    Indirect = false;
  }
  Named Part = partOf(Object, Indirect, Offset, Size, Where.Strides);
  if (Block.Indirect && Part.Path == Block.Name.Path)
    Part.Path = "*" + Part.Path;
  return Part;
}

} // namespace rdma::clang_ir
