#include "analyzer/clang/translate/SharedQueues.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/translate/WholeLocks.h"
#include "analyzer/core/Conditions.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

/// The threads that post what one completion queue reports.
struct Group {
  std::vector<const CountedThread *> Threads;
  std::vector<const CountedThread *> Process; ///< and those beside them that neither post nor poll
  std::set<QueuePairId> Pairs;
  std::string Queue;            ///< as all threads of the process call it
  std::set<std::string> Polled; ///< queues that one of them polls
};

class SharedQueue {
public:
  SharedQueue(const Inventory &Stock, const Group &G)
      : Stock(Stock), P(Stock.P), G(G), Locks(Stock, G.Process) {}

  /// Does any thread of the process take completions of it, as far as is known?
  bool isPolled() const {
    return std::any_of(G.Threads.begin(), G.Threads.end(), [&](const CountedThread *T) {
      const auto &All = P.Threads[T->Index].Statements;
      return std::any_of(All.begin(), All.end(), [&](const Statement &S) {
        bool Takes = S.Op.Kind == Poll || (S.Op.Kind == Nop && S.Lost != None);
        CompletionQueueId From = S.Op.Kind == Poll ? S.Op.Queue : None;
        return Takes && (From == None || Stock.keyOf(From) == G.Queue);
      });
    });
  }

  /// One lock is held at each post and poll, and whenever it is given back nothing is out.
  bool isLocked() {
    std::optional<std::set<Lock>> Common;
    for (const CountedThread *T : G.Threads)
      for (const auto &[I, Held] : locksHeld(*T))
        if (auto *Call = dyn_cast<CallBase>(I); Call && uses(*T, Call)) {
          std::set<Lock> Both;
          if (Common)
            std::set_intersection(Common->begin(), Common->end(), Held.begin(), Held.end(),
                                  std::inserter(Both, Both.end()));
          Common = Common ? Both : Held;
        }
    AnyLock = Common && !Common->empty();
    return AnyLock && std::any_of(Common->begin(), Common->end(), [&](const Lock &L) {
             return Locks.isWhole(L) &&
                    std::all_of(G.Threads.begin(), G.Threads.end(),
                                [&](const CountedThread *T) { return completeAtEnd(*T, L); });
           });
  }

  /// Both threads may have posted before either polls, and neither hears what the other took.
  bool isTaken() const {
    return !AnyLock && std::all_of(G.Threads.begin(), G.Threads.end(), [&](const CountedThread *T) {
      return std::all_of(G.Threads.begin(), G.Threads.end(), [&](const CountedThread *Other) {
        return T == Other || (runBeside(*T, *Other) && !hears(*T, *Other));
      });
    });
  }

  std::vector<const CallBase *> polls() const {
    std::vector<const CallBase *> All;
    for (const CountedThread *T : G.Threads)
      for (const PollSite &Poll : T->Polls)
        if (pollsIt(Poll))
          All.push_back(Poll.Call);
    return All;
  }

private:
  bool pollsIt(const PollSite &Poll) const {
    return Poll.Queue == None || Stock.keyOf(Poll.Queue) == G.Queue;
  }
  /// A queue that nobody is seen to poll may be this one by another name.
  bool reports(QueuePairId Pair) const {
    CompletionQueueId Queue = P.QueuePairs[Pair].Queue;
    return G.Pairs.count(Pair) || Queue == None || !G.Polled.count(Stock.keyOf(Queue));
  }
  bool postsIt(const PostSite &Post) const {
    return Post.Pairs.empty() ||
           std::any_of(Post.Pairs.begin(), Post.Pairs.end(), [&](QueuePairId Pair) { return reports(Pair); });
  }
  bool uses(const CountedThread &T, const CallBase *Call) const {
    return std::any_of(T.Posts.begin(), T.Posts.end(),
                       [&](const PostSite &Post) { return Post.Call == Call && postsIt(Post); }) ||
           std::any_of(T.Polls.begin(), T.Polls.end(),
                       [&](const PollSite &Poll) { return Poll.Call == Call && pollsIt(Poll); });
  }

  /// Asked of a copy in which the requests of the queue use one location, and giving the lock back writes it.
  bool completeAtEnd(const CountedThread &T, const Lock &L) const {
    Program Copy = P;
    ObjectId Token = Copy.Objects.size();
    Copy.Objects.push_back({"until complete", T.Home});
    Copy.Objects.back().Unaliased = true;
    std::vector<Statement> &All = Copy.Threads[T.Index].Statements;
    const std::size_t Size = T.Sources.size();
    for (StatementId S = 0; S < Size; ++S) {
      if (isRequest(All[S].Op.Kind) && reports(All[S].Op.Pair)) {
        All[S].Op.Local = {Token};
        All[S].Op.Inline = false;
      }
      auto *Call = dyn_cast_or_null<CallBase>(T.Sources[S]);
      LockUse Use = Call && Call->getFunction() == &T.F ? lockUse(*Call) : LockUse::None;
      if ((Use != LockUse::GivesBack && Use != LockUse::Waits) || lockOf(*Call, T).value_or(L) != L)
        continue;
      Statement Written;
      Written.Op.Kind = Store;
      Written.Op.Local = {Token};
      Written.Successors = {static_cast<StatementId>(All.size())};
      All.push_back(All[S]);
      All[S] = std::move(Written);
    }
    const Analysis A(Copy, Model::RdmaTso);
    const Violations Races = localRaces(A);
    return std::none_of(Races.begin(), Races.end(), [&](const Violation &V) {
      return V.Second.Thread == T.Index && V.Second.Location.Target == Token && !isNic(V.Second.Kind);
    });
  }

  /// Are both started by one thread that does not wait for either before the other has started?
  static bool runBeside(const CountedThread &A, const CountedThread &B) {
    if (!A.Start || !B.Start || A.Start->getFunction() != B.Start->getFunction())
      return false;
    for (const Instruction &I : instructions(*A.Start->getFunction())) {
      auto *Call = dyn_cast<CallBase>(&I);
      const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
      if (!Row || (Row->What != Api::JoinPthread && Row->What != Api::JoinStd))
        continue;
      for (auto [From, To] : {std::pair(A.Start, B.Start), std::pair(B.Start, A.Start)})
        if (isPotentiallyReachable(From, Call) && isPotentiallyReachable(Call, To))
          return false;
    }
    return true;
  }

  /// Does what a thread reads of another's decide anything? Locks are told apart from what they guard.
  bool hears(const CountedThread &T, const CountedThread &From) const {
    const auto &Mine = P.Threads[T.Index].Statements, &Theirs = P.Threads[From.Index].Statements;
    for (StatementId S = 0; S < T.Sources.size(); ++S) {
      const Operation &Op = Mine[S].Op;
      bool Reads = Op.Kind == Load || Op.Kind == Assume || Op.Kind == LocalCas || Op.Kind == LocalRmw;
      const Instruction *I = T.Sources[S];
      if (!Reads || !I || I->getFunction() != &T.F || isLock(T, S) || !decides(*I))
        continue;
      for (StatementId W = 0; W < From.Sources.size(); ++W)
        if (isCpuWrite(Theirs[W].Op.Kind) && !isLock(From, W) && mayOverlap(P, Op.Local, Theirs[W].Op.Local))
          return true;
    }
    return false;
  }

  /// A semaphore may be given by another than who waits for it: that tells him something.
  static bool isLock(const CountedThread &T, StatementId S) {
    auto *Call = dyn_cast_or_null<CallBase>(T.Sources[S]);
    return Call && !(rowOf(*Call) && StringRef(rowOf(*Call)->Name).starts_with("sem_")) &&
           (lockUse(*Call) == LockUse::Takes || lockUse(*Call) == LockUse::GivesBack || waitsForLock(*Call));
  }

  /// May more than the same place in memory hang on the value?
  static bool decides(const Instruction &Read) {
    auto *Load = dyn_cast<LoadInst>(&Read);
    if (!Load)
      return true;
    std::vector<const Value *> Work{Load};
    std::set<const Value *> Seen;
    while (!Work.empty()) {
      const Value *V = Work.back();
      Work.pop_back();
      if (!Seen.insert(V).second)
        continue;
      for (const User *U : V->users()) {
        if (auto *Store = dyn_cast<StoreInst>(U)) {
          if (Store->getPointerOperand() != Load->getPointerOperand())
            return true;
        } else if (isa<BinaryOperator>(U) || isa<CastInst>(U) || isa<PHINode>(U) || isa<FreezeInst>(U)) {
          Work.push_back(U);
        } else {
          return true;
        }
      }
    }
    return false;
  }

  const Inventory &Stock;
  const Program &P;
  const Group &G;
  WholeLocks Locks;
  bool AnyLock = false;
};

} // namespace

Unshared unshareQueues(Inventory &Stock, const std::deque<CountedThread> &Threads, RemarkLog &Log) {
  Program &P = Stock.P;
  std::map<std::pair<NodeId, std::string>, std::set<QueuePairId>> ByQueue;
  for (QueuePairId Id = 0; Id < P.QueuePairs.size(); ++Id)
    if (const QueuePair &Q = P.QueuePairs[Id]; Q.Queue != None)
      ByQueue[{P.Threads[Q.Owner].Home, Stock.keyOf(Q.Queue)}].insert(Id);
  Unshared Result;
  std::set<QueuePairId> Open;
  for (const auto &[Where, Pairs] : ByQueue) {
    Group G{{}, {}, Pairs, Where.second, {}};
    std::set<ThreadIndex> Owners;
    for (QueuePairId Id : Pairs)
      Owners.insert(P.QueuePairs[Id].Owner);
    if (Owners.size() < 2)
      continue;
    for (const CountedThread &T : Threads)
      if (T.Home == Where.first) {
        G.Process.push_back(&T);
        if (!T.Posts.empty() || !T.Polls.empty())
          G.Threads.push_back(&T);
      }
    for (const CountedThread *T : G.Threads)
      for (const PollSite &Poll : T->Polls)
        if (Poll.Queue != None)
          G.Polled.insert(Stock.keyOf(Poll.Queue));
    SharedQueue Queue(Stock, G);
    if (!Queue.isPolled())
      continue;
    if (Queue.isLocked()) {
      Result.Alone.insert(Where);
      continue;
    }
    Open.insert(Pairs.begin(), Pairs.end());
    if (Queue.isTaken())
      for (const CallBase *Poll : Queue.polls())
        Result.Taken.insert(Poll);
  }
  for (QueuePairId Id : Open) {
    QueuePair &Q = P.QueuePairs[Id];
    Result.Was[Id] = std::exchange(Q.Queue, None);
    Q.NoQueue = Stock.lose({{}, {words::TakerLost, Q.Name}, words::TellTaker});
    Log.add({}, {words::PolledBySeveral, Q.Name}, true);
  }
  return Result;
}

} // namespace rdma::clang_ir
