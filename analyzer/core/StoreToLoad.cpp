#include "analyzer/core/StoreToLoad.h"

#include <algorithm>

namespace rdma {
namespace {

/// How many bits a word has, 64 at most.
unsigned widthOf(const Access &Word) {
  return Word.whole() || Word.End - Word.Begin >= 8 ? 64 : 8 * (Word.End - Word.Begin);
}

/// The bits of a word that has been found to be equal to a number, or where the number is kept.
std::uint64_t bitsOf(std::int64_t Number, const Access &Word) {
  const unsigned Bits = widthOf(Word);
  return Bits == 64 ? Number : Number & ((1ull << Bits) - 1);
}

bool isWordAssume(const Operation &Op, const Access &Word) {
  return Op.Kind == OperationKind::Assume && !Op.Awaits && Op.Local == Word;
}

} // namespace

bool isExact(const Program &P, const Access &Of) {
  const Object &In = P.Objects[Of.Target];
  return !Of.Somewhere && (Of.whole() ? In.Word : Of.End - Of.Begin <= 8) && !In.Anything && !In.Several;
}

bool rejects(const Operation &Assume, std::int64_t Number) {
  if (!Assume.Negated)
    return bitsOf(Number, Assume.Local) != bitsOf(Assume.Constant, Assume.Local);
  return Number == Assume.Constant && Number >= 0 && Number >> (widthOf(Assume.Local) - 1) == 0;
}

bool StoreToLoad::isHarmless(ThreadIndex T, const OpenPair &Pair) {
  const EventRef &First = A.ref(T, Pair.Earlier), &Second = A.ref(T, Pair.Later);
  if (First.Kind != EventKind::lW || Second.Kind != EventKind::lR || !isExact(A.Code, First.Location))
    return false;
  const Access &Stored = First.Location, &Loaded = Second.Location;
  const bool Own = Stored.Target == Loaded.Target && isExact(A.Code, Loaded) &&
                   Stored.Begin <= Loaded.Begin && Loaded.End <= Stored.End;
  return Own || comesBehindOverwritten(First, Second);
}

bool StoreToLoad::comesBehindOverwritten(const EventRef &Store, const EventRef &Load) {
  constexpr std::size_t Most = 1024;
  const Thread &T = A.Code.Threads[Store.Thread];
  const Operation &Op = T.Statements[Store.Statement].Op;
  if (Op.Kind != OperationKind::Store || Op.Local != Store.Location || !constantOf(Op.Value))
    return false;
  auto [Known, New] = Open.try_emplace({Store.Thread, Store.Statement});
  if (New && Open.size() <= Most &&
      std::any_of(T.Statements.begin(), T.Statements.end(),
                  [&](const Statement &S) { return isWordAssume(S.Op, Store.Location); }))
    Known->second = notOverwritten(T, Store.Statement);
  return !Known->second.empty() && !Known->second[Load.Statement];
}

/// Statements that are come by before an assume which the store does not let pass, or behind another store of
/// the thread to the word; the assume itself is one of them.
std::vector<bool> StoreToLoad::notOverwritten(const Thread &T, StatementId Store) const {
  const Access &Word = T.Statements[Store].Op.Local;
  const std::int64_t Number = *constantOf(T.Statements[Store].Op.Value);
  auto writes = [&](const Operation &Op) {
    return isCpuWrite(Op.Kind) &&
           (mayOverlap(A.Code, Op.Local, Word) || (Op.Result.valid() && mayOverlap(A.Code, Op.Result, Word)));
  };
  std::vector<bool> Seen(T.Statements.size()), Again(T.Statements.size());
  struct At {
    StatementId S;
    bool Mine; ///< what the thread wrote last to the word is that store
  };
  std::vector<At> Work;
  auto leave = [&](StatementId S, bool Mine) {
    for (StatementId Next : T.Statements[S].Successors)
      if (std::vector<bool> &Before = Mine ? Seen : Again; !Before[Next]) {
        Before[Next] = true;
        Work.push_back({Next, Mine});
      }
  };
  leave(Store, true);
  while (!Work.empty()) {
    const auto [S, Mine] = Work.back();
    Work.pop_back();
    const Operation &Op = T.Statements[S].Op;
    if (!Mine || !isWordAssume(Op, Word) || !rejects(Op, Number))
      leave(S, Mine && !writes(Op));
  }
  for (StatementId S = 0; S < Seen.size(); ++S)
    Seen[S] = Seen[S] || Again[S];
  return Seen;
}

} // namespace rdma
