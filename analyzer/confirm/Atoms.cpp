#include "analyzer/confirm/Atoms.h"

#include "ir/SubEvents.h"

#include <algorithm>

namespace rdma {

using enum OperationKind;

Access overlap(const Access &A, const Access &B) {
  if (A.Target != B.Target)
    return {};
  Access Both{A.Target, std::max(A.Begin, B.Begin), std::min(A.End, B.End)};
  return Both.Begin < Both.End ? Both : Access{};
}

namespace {

/// More than this and no search would end.
constexpr std::size_t MostAtoms = 200;

bool isAtomic(OperationKind K) { return K == LocalCas || K == LocalRmw || K == RemoteCas || K == RemoteFaa; }

template <class Visitor>
void eachStatement(const Program &P, const std::vector<bool> &Threads, Visitor Visit) {
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    for (const Statement &S : P.Threads[T].Statements)
      if (Threads[T])
        Visit(S.Op);
}

} // namespace

Atoms::Atoms(const Program &P, std::vector<bool> Threads)
    : P(P), Threads(std::move(Threads)), Kept(P.Objects.size()), Ends(P.Objects.size()) {
  eachStatement(P, this->Threads, [&](const Operation &Op) {
    bool Remote = Op.Kind == RemoteCas || Op.Kind == RemoteFaa;
    if (isAtomic(Op.Kind))
      Unsplittable.push_back(Remote ? Op.Remote : Op.Local);
    for (const SubEvents &Way : expand(Op))
      for (const SubEvent &E : Way)
        if (E.Location.valid())
          Ends[E.Location.Target].insert({E.Location.Begin, E.Location.End});
  });
}

Access Atoms::piece(const Access &A) const {
  if (!A.valid())
    return A;
  auto End = Ends[A.Target].upper_bound(A.Begin);
  return {A.Target, A.Begin, End == Ends[A.Target].end() ? A.End : std::min(A.End, *End)};
}

void Atoms::cut(ObjectId O, std::int64_t At) {
  for (std::size_t I = 0; I < Kept[O].size(); ++I)
    if (Access &A = Kept[O][I]; A.Begin < At && At < A.End) {
      Access Rest{O, At, A.End};
      A.End = At;
      Kept[O].insert(Kept[O].begin() + I + 1, Rest);
      return;
    }
}

void Atoms::add(const Access &A) {
  if (!A.valid())
    return;
  auto &List = Kept[A.Target];
  cut(A.Target, A.Begin);
  cut(A.Target, A.End);
  std::int64_t From = A.Begin;
  for (std::size_t I = 0; I <= List.size() && From < A.End; ++I) {
    std::int64_t To = I == List.size() ? A.End : std::min(List[I].Begin, A.End);
    std::int64_t Next = I == List.size() ? A.End : List[I].End;
    if (From < To)
      List.insert(List.begin() + I++, {A.Target, From, To});
    From = std::max(From, Next);
  }
}

void Atoms::addTested() {
  eachStatement(P, Threads, [&](const Operation &Op) {
    if (Op.Kind == Assume || (Op.Kind == LocalCas && Op.Success != Operation::Outcome::Either))
      add(Op.Local);
    if (Op.Kind == RemoteCas && Op.Success != Operation::Outcome::Either)
      add(Op.Remote);
  });
}

void Atoms::addEverything() {
  eachStatement(P, Threads, [&](const Operation &Op) {
    for (const SubEvents &Way : expand(Op))
      for (const SubEvent &E : Way)
        add(E.Location);
  });
}

std::vector<Access> Atoms::of(const Access &A) const {
  std::vector<Access> Found;
  if (A.valid())
    for (const Access &Atom : Kept[A.Target])
      if (overlap(Atom, A).valid())
        Found.push_back(Atom);
  return Found;
}

Access Atoms::source(const Access &To, const Access &Target, const Access &Source) {
  if (Target.whole() || Source.whole() || To.whole())
    return Source;
  Access Exact{Source.Target, Source.Begin + (To.Begin - Target.Begin),
               Source.Begin + (To.End - Target.Begin)};
  Access Part = overlap(Exact, Source);
  return Part.valid() ? Part : Source;
}

void Atoms::flowInto(const Access &Target, const std::optional<Expression> &Value) {
  if (!Value || of(Target).empty())
    return;
  for (const Term &T : *Value)
    if (!T.IsConstant)
      add(piece(T.Location));
}

void Atoms::flow(const Operation &Op) {
  auto copy = [&](const Access &Target, const Access &Source) {
    for (const Access &To : of(Target))
      add(piece(source(To, Target, Source)));
  };
  switch (Op.Kind) {
  case Put:
    return copy(Op.Remote, Op.Local);
  case Get:
    return copy(Op.Local, Op.Remote);
  case Store:
    return flowInto(Op.Local, Op.Value);
  case LocalCas:
    if (!of(Op.Result).empty())
      add(Op.Local);
    flowInto(Op.Local, Op.Value);
    return flowInto(Op.Local, Op.Desired);
  case RemoteCas:
  case RemoteFaa:
    if (!of(Op.Local).empty())
      add(Op.Remote);
    flowInto(Op.Remote, Op.Value);
    return flowInto(Op.Remote, Op.Desired);
  default:
    break;
  }
}

/// What the CPU or the NIC changes in one piece is one atom.
void Atoms::joinAtomics() {
  for (const Access &Whole : Unsplittable) {
    std::vector<Access> Parts = of(Whole);
    if (Parts.size() < 2)
      continue;
    auto &List = Kept[Whole.Target];
    auto First = std::find(List.begin(), List.end(), Parts.front());
    First->End = Parts.back().End;
    List.erase(First + 1, std::find(First, List.end(), Parts.back()) + 1);
  }
}

std::size_t Atoms::count() const {
  std::size_t Count = 0;
  for (const auto &List : Kept)
    Count += List.size();
  return Count;
}

bool Atoms::close() {
  for (auto Before = Kept; count() <= MostAtoms; Before = Kept) {
    eachStatement(P, Threads, [&](const Operation &Op) { flow(Op); });
    if (Kept == Before)
      break;
  }
  joinAtomics();
  return count() <= MostAtoms;
}

} // namespace rdma
