#include "analyzer/clang/translate/TakenBeside.h"

#include <algorithm>
#include <optional>

namespace rdma::clang_ir {

using enum OperationKind;

namespace {

using QueueKey = std::optional<std::string>; ///< as all threads of the process call it; nothing: not known

class Process {
public:
  Process(Inventory &Stock, const std::deque<CountedThread> &Threads, NodeId Home, const Unshared &Shared)
      : Stock(Stock), P(Stock.P), Home(Home), Shared(Shared) {
    for (const CountedThread &T : Threads)
      if (T.Home == Home)
        Mine.push_back(T.Index);
    for (ThreadIndex T : Mine)
      for (StatementId S = 0; S < P.Threads[T].Statements.size(); ++S)
        if (const Operation &Op = P.Threads[T].Statements[S].Op; Op.Kind == Poll)
          Polls.push_back({T, S, keyOf(Op.Queue)});
        else if (Op.Kind == Load && Op.Local == Access{newsOfCompletions(Stock, Home)})
          Polls.push_back({T, S, {}, true});
  }

  void run() {
    for (ThreadIndex T : Mine) {
      const std::size_t Size = P.Threads[T].Statements.size();
      for (StatementId S = 0; S < Size; ++S)
        if (const Operation &Op = P.Threads[T].Statements[S].Op;
            isRequest(Op.Kind) && !Op.Unsignaled && !Stock.isOutside(P.QueuePairs[Op.Pair].Target))
          tell(T, S);
    }
    for (const auto &[At, Flag] : Heard)
      look(Polls[At], Flag);
  }

private:
  struct PollHere {
    ThreadIndex By;
    StatementId At;
    QueueKey Queue;
    bool Event = false; ///< it reads the flag already
  };

  QueueKey keyOf(CompletionQueueId Queue) const {
    return Queue == None ? QueueKey() : QueueKey(Stock.keyOf(Queue));
  }

  QueueKey reportOf(QueuePairId Pair) const {
    auto Was = Shared.Was.find(Pair);
    return keyOf(Was == Shared.Was.end() ? P.QueuePairs[Pair].Queue : Was->second);
  }

  /// A queue that nobody is seen to poll may be any by another name.
  bool mayReport(QueuePairId Pair, const PollHere &Poll) const {
    QueueKey Posted = reportOf(Pair);
    if (!Posted || !Poll.Queue || Posted == Poll.Queue)
      return true;
    return std::none_of(Polls.begin(), Polls.end(), [&](const PollHere &X) { return X.Queue == Posted; });
  }

  void tell(ThreadIndex T, StatementId S) {
    const QueuePairId Pair = P.Threads[T].Statements[S].Op.Pair;
    if (QueueKey Queue = reportOf(Pair); Queue && Shared.Alone.count({Home, *Queue}))
      return;
    std::map<ObjectId, LostFactId> Flags;
    for (std::size_t I = 0; I < Polls.size(); ++I)
      if (Polls[I].By != T && mayReport(Pair, Polls[I])) {
        ObjectId Flag = flagOf(Polls[I]);
        if (!Polls[I].Event)
          Heard.insert({I, Flag});
        Flags.try_emplace(Flag, doubtAbout(Polls[I], T, Pair));
      }
    if (!Flags.empty())
      addWay(T, S, Flags);
  }

  ObjectId flagOf(const PollHere &Poll) {
    if (Poll.Event)
      return newsOfCompletions(Stock, Home);
    return Stock.flag(Home, Poll.Queue.value_or("?"),
                      "completions that " + P.Threads[Poll.By].Name + " takes");
  }

  /// Which requests are complete when it finds something hangs on which completion it finds.
  LostFactId doubtAbout(const PollHere &Poll, ThreadIndex Poster, QueuePairId Pair) {
    return Stock.lose({P.Threads[Poll.By].Statements[Poll.At].Where,
                       "which completion this finds of those that '" + P.Threads[Poster].Name +
                           "' posts is not known, and so what is complete then",
                       "to tell: poll in the thread that posts", P.QueuePairs[Pair].Queue});
  }

  void addWay(ThreadIndex T, StatementId S, const std::map<ObjectId, LostFactId> &Flags) {
    Thread &By = P.Threads[T];
    const Site Where = By.Statements[S].Where;
    StatementId Last = S;
    auto then = [&](const Operation &Op) {
      By.Statements.push_back({Op, Op.Kind == Store ? Where : Site()});
      StatementId New = By.Statements.size() - 1;
      By.Statements[Last].Successors.push_back(New);
      return Last = New;
    };
    for (const auto &[Flag, Doubt] : Flags)
      By.Statements[then({})].Lost = Doubt;
    Operation Complete;
    Complete.Kind = Wait;
    Complete.Id = nameOf(By.Statements[S].Op, T);
    Complete.Counted = By.Statements[S].Op.Counted;
    then(Complete);
    for (const auto &[Flag, Doubt] : Flags) {
      Operation Says;
      Says.Kind = Store;
      Says.Local = {Flag};
      Says.Value = Expression{Term{1, true, 1}};
      then(Says);
    }
  }

  WorkId nameOf(Operation &Request, ThreadIndex T) {
    if (Request.Id == None) {
      Request.Id =
          Stock.workId(P.Threads[T].Name + ":beside" + std::to_string(T) + "_" + std::to_string(Named++));
      Request.Counted = true;
    }
    return Request.Id;
  }

  void look(const PollHere &Poll, ObjectId Flag) {
    Operation Looks;
    Looks.Kind = Load;
    Looks.Local = {Flag};
    Thread &T = P.Threads[Poll.By];
    T.insertBehind(Poll.At, Looks, Site(T.Statements[Poll.At].Where));
  }

  Inventory &Stock;
  Program &P;
  NodeId Home;
  const Unshared &Shared;
  std::vector<ThreadIndex> Mine;
  std::vector<PollHere> Polls;
  std::set<std::pair<std::size_t, ObjectId>> Heard;
  unsigned Named = 0;
};

} // namespace

ObjectId newsOfCompletions(Inventory &Stock, NodeId Home) {
  return Stock.flag(Home, "", "completions that an event tells of");
}

void tellOfCompletions(Inventory &Stock, const std::deque<CountedThread> &Threads, const Unshared &Shared) {
  std::set<NodeId> Homes;
  for (const CountedThread &T : Threads)
    if (Homes.insert(T.Home).second)
      Process(Stock, Threads, T.Home, Shared).run();
}

} // namespace rdma::clang_ir
