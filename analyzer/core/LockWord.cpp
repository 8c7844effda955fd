#include "analyzer/core/LockWord.h"

#include "analyzer/core/Flow.h"
#include "analyzer/core/Network.h"

#include <algorithm>

namespace rdma {
namespace {

using enum OperationKind;

/// Does the statement write the bytes, in any of its ways?
bool writesTo(const Program &P, const Operation &Op, const Access &Where) {
  if (Op.Deregisters)
    return false;
  for (const SubEvents &Way : expand(Op))
    for (const SubEvent &E : Way)
      if (writes(E.Kind) && mayOverlap(P, E.Location, Where))
        return true;
  return false;
}

/// What a location is known to hold.
struct Known {
  std::optional<std::int64_t> Value;
  bool operator==(const Known &) const = default;
  Known meet(const Known &Other) const { return *this == Other ? *this : Known{}; }
};

/// Where the result of the last compare-and-swap on the word is, while nothing else was written there; and
/// whether it is known to have succeeded.
struct Holding {
  Access Result = {};
  bool Held = false;
  QueuePairId Via = None; ///< which went there
  bool operator==(const Holding &) const = default;
  Holding meet(const Holding &Other) const {
    return {Result == Other.Result ? Result : Access{}, Held && Other.Held && Via == Other.Via,
            Via == Other.Via ? Via : None};
  }
};

} // namespace

LockWord::LockWord(const Analysis &A, const Access &Word) : A(A), Word(Word), Free(freeValue()) {
  HeldVia.resize(A.Threads.size());
  for (ThreadIndex T = 0; Free && T < A.Threads.size(); ++T)
    findHeld(T);
}

/// The value from which every remote atomic on the word swaps to another, as far as is known.
std::optional<std::int64_t> LockWord::freeValue() {
  std::optional<std::int64_t> Value;
  for (const Thread &T : A.Code.Threads)
    for (const Statement &S : T.Statements) {
      const Operation &Op = S.Op;
      if ((Op.Kind != RemoteCas && Op.Kind != RemoteFaa) || !mayOverlap(A.Code, Op.Remote, Word))
        continue;
      std::optional<std::int64_t> Expected = constantOf(Op.Value), Desired = constantOf(Op.Desired);
      bool Takes =
          Op.Kind == RemoteCas && sameBytes(A.Code, Op.Remote, Word) && Expected && Expected != Desired;
      SwapsUnknown |= !Desired;
      if (!Takes || (Value && Value != Expected))
        return std::nullopt;
      Value = Expected;
    }
  return Value;
}

/// May another thread access what this thread accesses there? One that stands for many repeats others, each
/// on a node of its own: what its copies do with each other's memory, these do, too.
bool LockWord::sharedWithOthers(ThreadIndex T, const Access &Where) const {
  const bool IsCopy = A.Code.Threads[T].Many && !A.Code.OpenWorld;
  for (EventId E : A.Threads[T].Order)
    if (A.Public[T][E] && mayOverlap(A.Code, A.ref(T, E).Location, Where) &&
        (!IsCopy || A.Where.usedByOthers(T, A.Where.of(T, E))))
      return true;
  return false;
}

void LockWord::findHeld(ThreadIndex Index) {
  const Thread &T = A.Code.Threads[Index];
  auto Transfer = [&](Holding H, StatementId S) {
    const Operation &Op = T.Statements[S].Op;
    if (Op.Kind == Assume && H.Result.valid() && sameBytes(A.Code, Op.Local, H.Result) && !Op.Negated &&
        Op.Constant == *Free)
      H.Held = true;
    bool Takes = Op.Kind == RemoteCas && sameBytes(A.Code, Op.Remote, Word);
    if (!Takes && writesTo(A.Code, Op, Word))
      return Holding{};
    if (H.Result.valid() && writesTo(A.Code, Op, H.Result))
      H.Result = {};
    if (Takes) {
      // What another thread may write says nothing about the compare-and-swap.
      H.Result = sharedWithOthers(Index, Op.Local) ? Access{} : Op.Local;
      H.Held = Op.Success == Operation::Outcome::Succeeds;
      H.Via = Op.Pair;
    }
    return H;
  };
  auto Before = forwardFacts(T, Holding{}, Transfer);
  for (const auto &H : Before)
    HeldVia[Index].push_back(H && H->Held ? H->Via : None);
}

/// What the statement is known to write to the word.
std::optional<std::int64_t> LockWord::written(ThreadIndex Index, StatementId S) const {
  const Thread &T = A.Code.Threads[Index];
  const Operation &Op = T.Statements[S].Op;
  if (Op.Kind == Store)
    return constantOf(Op.Value);
  if (A.Code.Objects[Op.Local.Target].Fresh)
    return A.Code.Objects[Op.Local.Target].Initial;
  if (sharedWithOthers(Index, Op.Local))
    return std::nullopt;
  auto Transfer = [&](Known K, StatementId At) {
    const Operation &Step = T.Statements[At].Op;
    if (Step.Kind == Store && sameBytes(A.Code, Step.Local, Op.Local))
      return Known{constantOf(Step.Value)};
    return writesTo(A.Code, Step, Op.Local) ? Known{} : K;
  };
  const Known First = A.Code.Objects[Op.Local.Target].Zeros ? Known{0} : Known{};
  auto Before = forwardFacts(T, First, Transfer);
  return Before[S] ? Before[S]->Value : std::nullopt;
}

/// Is it a write of the word and nothing else, while the lock is held?
bool LockWord::isHeld(const EventRef &Write) const {
  if (!Free || HeldVia[Write.Thread][Write.Statement] == None)
    return false;
  const Operation &Op = A.Code.Threads[Write.Thread].Statements[Write.Statement].Op;
  if ((Op.Kind != Store || !sameBytes(A.Code, Op.Local, Word)) &&
      (Op.Kind != Put || !sameBytes(A.Code, Op.Remote, Word)))
    return false;
  // Two queue pairs to one of many nodes may lead to two of them.
  return !standsForMany(A.Code, A.Code.Objects[Word.Target].Home) ||
         HeldVia[Write.Thread][Write.Statement] == Write.Pair;
}

bool LockWord::givesBack(const EventRef &Write) const {
  return !SwapsUnknown && isHeld(Write) && written(Write.Thread, Write.Statement) == Free;
}

bool LockWord::mayGiveBack(const EventRef &Write) const {
  if (!isHeld(Write))
    return false;
  std::optional<std::int64_t> Value = written(Write.Thread, Write.Statement);
  return !Value || (SwapsUnknown && Value == Free);
}

} // namespace rdma
