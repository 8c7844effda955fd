#include "analyzer/core/BegunThreads.h"

#include "analyzer/core/Flow.h"
#include "analyzer/core/Handshakes.h"
#include "analyzer/core/Locations.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace rdma {
namespace {

using enum OperationKind;

/// Where the CPU reads: `r := x` in litmus text is a load, too.
std::vector<Access> readBy(const Operation &Op) {
  std::vector<Access> All;
  if (Op.Kind == Load || Op.Kind == Assume || Op.Kind == LocalCas || Op.Kind == LocalRmw)
    All.push_back(Op.Local);
  if (Op.Kind == Store && Op.Value)
    for (const Term &Part : *Op.Value)
      if (!Part.IsConstant)
        All.push_back(Part.Location);
  return All;
}

/// A thread that waits to be begun, and the one that begins it.
struct Begun {
  ThreadIndex Waiter, Writer;
  ObjectId Flag;
  std::vector<bool> Late; ///< statements of the writer behind the beginning
};

std::vector<Begun> begunThreads(const Program &P) {
  std::vector<Begun> All;
  for (ThreadIndex U = 0; U < P.Threads.size(); ++U) {
    const ObjectId Flag = P.Threads[U].Many ? None : begins(P, P.Threads[U]).Target;
    for (ThreadIndex T = 0; Flag != None && T < P.Threads.size(); ++T) {
      std::vector<StatementId> Begins;
      for (StatementId S = 0; S < P.Threads[T].Statements.size(); ++S)
        if (const Operation &Op = P.Threads[T].Statements[S].Op; Op.Kind == Store && Op.Local.Target == Flag)
          Begins.push_back(S);
      if (T != U && !P.Threads[T].Many && !Begins.empty())
        All.push_back({U, T, Flag, behind(P.Threads[T], std::move(Begins))});
    }
  }
  return All;
}

/// A word that may be waited for: where the thread reads it, and where the other writes.
struct Word {
  std::vector<StatementId> Reads, Writes;
};

/// Do both take it by the same swap?
bool isLock(const Operation &One, const Operation &Other) {
  return One.Kind == LocalCas && Other.Kind == LocalCas && One.Value && One.Desired &&
         constantOf(One.Value) && constantOf(One.Desired) && One.Value == Other.Value &&
         One.Desired == Other.Desired;
}

/// Is there no other way than by this assume? Of who looks at a word again and again, only the look that lets
/// him pass is left.
bool isOnlyWay(const Thread &T, StatementId S) {
  return T.Statements[S].Op.Kind == Assume &&
         std::all_of(T.Statements.begin(), T.Statements.end(), [&](const Statement &Before) {
           return std::find(Before.Successors.begin(), Before.Successors.end(), S) ==
                      Before.Successors.end() ||
                  Before.Successors.size() == 1;
         });
}

/// By the place that is read; the end and the beginning of a thread are no such words.
std::vector<Word> wordsOf(const Program &P, const Begun &B) {
  const Thread &U = P.Threads[B.Waiter], &T = P.Threads[B.Writer];
  std::map<Access, Word> All;
  std::set<Access> Again, Locks;
  for (StatementId S = 0; S < U.Statements.size(); ++S) {
    const Operation &Op = U.Statements[S].Op;
    for (const Access &Place : readBy(Op)) {
      if (Place.Target == B.Flag || P.Objects[Place.Target].Anything)
        continue;
      All[Place].Reads.push_back(S);
      if (Op.Kind == LocalCas || Op.Kind == LocalRmw || isOnlyWay(U, S) || behind(U, {S})[S])
        Again.insert(Place);
    }
  }
  for (auto &[Place, W] : All)
    for (StatementId S = 0; S < T.Statements.size(); ++S) {
      const Operation &Op = T.Statements[S].Op;
      if (!B.Late[S] || !isCpuWrite(Op.Kind) || !mayOverlap(P, Op.Local, Place))
        continue;
      W.Writes.push_back(S);
      if (std::any_of(W.Reads.begin(), W.Reads.end(),
                      [&](StatementId R) { return isLock(U.Statements[R].Op, Op); }))
        Locks.insert(Place);
    }
  std::vector<Word> Found;
  for (auto &[Place, W] : All)
    if (Again.contains(Place) && !Locks.contains(Place) && !W.Writes.empty())
      Found.push_back(std::move(W));
  return Found;
}

/// On all ways to the statement.
void insertBefore(Thread &T, StatementId S, const Operation &Op) {
  const StatementId New = T.Statements.size();
  for (Statement &From : T.Statements)
    std::replace(From.Successors.begin(), From.Successors.end(), S, New);
  Statement First;
  First.Op = Op;
  First.Where = T.Statements[S].Where;
  First.Successors = {S};
  First.LoopDepth = T.Statements[S].LoopDepth;
  T.Statements.push_back(std::move(First));
  if (T.Entry == S)
    T.Entry = New;
}

} // namespace

std::map<ObjectId, EventRef> mayWait(const Program &P) {
  std::map<ObjectId, EventRef> Found;
  for (const Begun &B : begunThreads(P))
    for (const Word &W : wordsOf(P, B))
      Found.try_emplace(B.Flag, EventRef{B.Waiter, W.Reads.front(), EventKind::lR, {}});
  return Found;
}

Program withWaits(const Program &P) {
  Program Favoured = P;
  for (const Begun &B : begunThreads(P))
    for (const Word &W : wordsOf(P, B)) {
      Object Over;
      Over.Name = "over";
      Over.Home = P.Threads[B.Writer].Home;
      Over.Unaliased = true;
      Favoured.Objects.push_back(std::move(Over));
      Operation Says, Waits;
      Says.Kind = Store;
      Says.Local = Waits.Local = {static_cast<ObjectId>(Favoured.Objects.size() - 1)};
      Says.Value = Expression{{.Constant = 1}};
      Waits.Kind = Assume;
      Waits.Constant = 1;
      for (StatementId S : W.Writes)
        insertBefore(Favoured.Threads[B.Writer], S, Says);
      for (StatementId S : W.Reads)
        Favoured.Threads[B.Waiter].insertBehind(S, Waits, Site(P.Threads[B.Waiter].Statements[S].Where));
    }
  return Favoured;
}

} // namespace rdma
