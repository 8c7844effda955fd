#include "analyzer/core/Facts.h"

#include <algorithm>
#include <iterator>

namespace rdma {

PairFact *Fact::find(unsigned Pair) {
  for (PairFact &P : Pairs)
    if (P.Pair == Pair)
      return &P;
  return nullptr;
}

PairFact &Fact::at(unsigned Pair) {
  auto Place = std::lower_bound(Pairs.begin(), Pairs.end(), Pair,
                                [](const PairFact &P, unsigned Index) { return P.Pair < Index; });
  if (Place == Pairs.end() || Place->Pair != Pair)
    Place = Pairs.insert(Place, {Pair});
  return *Place;
}

Fact Fact::meet(const Fact &Other) const {
  Fact Met{Cpu & Other.Cpu, EveryPair && Other.EveryPair};
  auto A = Pairs.begin(), B = Other.Pairs.begin();
  while (A != Pairs.end() || B != Other.Pairs.end()) {
    unsigned Pair = B == Other.Pairs.end() || (A != Pairs.end() && A->Pair < B->Pair) ? A->Pair : B->Pair;
    PairFact Mine = A != Pairs.end() && A->Pair == Pair ? *A++ : PairFact{Pair};
    PairFact Theirs = B != Other.Pairs.end() && B->Pair == Pair ? *B++ : PairFact{Pair};
    // What comes after it on every queue pair does on this one.
    if (EveryPair && !Other.EveryPair)
      Mine.Nic = NicKinds;
    if (Other.EveryPair && !EveryPair)
      Theirs.Nic = NicKinds;
    PairFact Both{Pair,
                  Mine.Nic & Theirs.Nic,
                  Mine.Delivers && Theirs.Delivers,
                  Mine.Completes && Theirs.Completes,
                  Mine.AwaitsSignal && Theirs.AwaitsSignal,
                  std::max(Mine.Pending, Theirs.Pending)};
    if (!(Both == PairFact{Pair}))
      Met.Pairs.push_back(Both);
  }
  std::set_intersection(Ids.begin(), Ids.end(), Other.Ids.begin(), Other.Ids.end(),
                        std::back_inserter(Met.Ids));
  return Met;
}

OrderRow orderRow(Model M, EventKind Earlier) {
  OrderRow Row;
  for (unsigned L = 0; L < NumEventKinds; ++L) {
    auto Later = static_cast<EventKind>(L);
    Order O = observedOrder(M, Earlier, Later);
    if (O == Order::None)
      continue;
    (isNic(Later) ? Row.Nic : Row.Cpu) |= bit(Later);
    Row.EveryPair |= isNic(Later) && O == Order::Kept;
  }
  return Row;
}

std::size_t FactTable::Hash::operator()(const Fact &F) const {
  std::size_t Sum = F.Cpu * 2 + F.EveryPair;
  auto mix = [&](std::size_t Value) { Sum = (Sum ^ Value) * 0x9e3779b97f4a7c15u + (Sum >> 29); };
  for (const PairFact &P : F.Pairs) {
    mix(P.Pair);
    mix(P.Nic * 8 + P.Delivers * 4 + P.Completes * 2 + P.AwaitsSignal);
    mix(P.Pending);
  }
  for (WorkId Id : F.Ids)
    mix(Id);
  return Sum;
}

FactId FactTable::id(const Fact &F) {
  auto [Found, New] = Ids.try_emplace(F, Facts.size());
  if (New)
    Facts.push_back(&Found->first);
  return Found->second;
}

FactId FactTable::meet(FactId A, FactId B) {
  if (A == B)
    return A;
  std::uint64_t Key = std::uint64_t(std::min(A, B)) << 32 | std::max(A, B);
  auto Known = Meets.find(Key);
  if (Known != Meets.end())
    return Known->second;
  FactId Met = id((*this)[A].meet((*this)[B]));
  Meets.emplace(Key, Met);
  return Met;
}

} // namespace rdma
