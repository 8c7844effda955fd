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
      for (const Statement &S : P.Threads[T].Statements)
        if (auto News = Stock.News.find(S.Op.Local.Target); S.Op.Kind == Load && News != Stock.News.end())
          Readers.try_emplace(News->first,
                              Reader{T, S.Where, keyOf(News->second.Queue), News->second.IsEvent});
  }

  void run() {
    for (ThreadIndex T : Mine) {
      const std::size_t Size = P.Threads[T].Statements.size();
      for (StatementId S = 0; S < Size; ++S)
        if (const Operation &Op = P.Threads[T].Statements[S].Op;
            isRequest(Op.Kind) && !Op.Unsignaled && !Stock.isOutside(P.QueuePairs[Op.Pair].Target))
          tell(T, S);
    }
  }

private:
  struct Reader {
    ThreadIndex By;
    Site Where;
    QueueKey Queue; ///< nothing: any, or not known
    bool IsEvent;
  };

  QueueKey keyOf(CompletionQueueId Queue) const {
    return Queue == None ? QueueKey() : QueueKey(Stock.keyOf(Queue));
  }

  QueueKey reportOf(QueuePairId Pair) const {
    auto Was = Shared.Was.find(Pair);
    return keyOf(Was == Shared.Was.end() ? P.QueuePairs[Pair].Queue : Was->second);
  }

  /// A queue that nobody is seen to poll may be any by another name.
  bool mayFind(const Reader &R, QueuePairId Pair) const {
    QueueKey Posted = reportOf(Pair);
    if (!Posted || !R.Queue || Posted == R.Queue)
      return true;
    return std::none_of(Readers.begin(), Readers.end(),
                        [&](const auto &X) { return X.second.Queue == Posted; });
  }

  void tell(ThreadIndex T, StatementId S) {
    const QueuePairId Pair = P.Threads[T].Statements[S].Op.Pair;
    if (QueueKey Queue = reportOf(Pair); Queue && Shared.Alone.count({Home, *Queue}))
      return;
    Told Events, Polls;
    for (const auto &[Flag, R] : Readers)
      if (R.By != T && mayFind(R, Pair))
        (R.IsEvent ? Events : Polls).try_emplace(Flag, doubtAbout(R, T, Pair));
    // Several may be woken by it, and one poll takes it.
    if (Polls.empty() && !Events.empty())
      addWay(T, S, Events);
    for (const auto &[Flag, Doubt] : Polls) {
      Told Both = Events;
      Both.try_emplace(Flag, Doubt);
      addWay(T, S, Both);
    }
  }

  /// Which requests are complete when it finds something hangs on which completion it finds. Whether it may
  /// find one at all is not known of a queue that would be its own by another name.
  LostFactId doubtAbout(const Reader &R, ThreadIndex Poster, QueuePairId Pair) {
    if (const QueueKey Posted = reportOf(Pair); Posted && R.Queue && Posted != R.Queue)
      return Stock.lose(
          {R.Where, {words::UnpolledLost, P.Threads[Poster].Name}, words::TellUnpolled, None, true, true});
    return Stock.lose({R.Where,
                       {words::FoundLost, P.Threads[Poster].Name},
                       words::TellFound,
                       P.QueuePairs[Pair].Queue,
                       false,
                       true});
  }

  using Told = std::map<ObjectId, LostFactId>;
  void addWay(ThreadIndex T, StatementId S, const Told &Flags) {
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

  Inventory &Stock;
  Program &P;
  NodeId Home;
  const Unshared &Shared;
  std::vector<ThreadIndex> Mine;
  std::map<ObjectId, Reader> Readers; ///< by what they read
  unsigned Named = 0;
};

} // namespace

void tellOfCompletions(Inventory &Stock, const std::deque<CountedThread> &Threads, const Unshared &Shared) {
  std::set<NodeId> Homes;
  for (const CountedThread &T : Threads)
    if (Homes.insert(T.Home).second)
      Process(Stock, Threads, T.Home, Shared).run();
}

} // namespace rdma::clang_ir
