#include "analyzer/clang/translate/MatchMessages.h"
#include "analyzer/clang/translate/TakenKinds.h"

#include <algorithm>
#include <limits>

namespace rdma::clang_ir {

using enum OperationKind;

namespace {

using Number = std::int64_t;
constexpr Number Endless = std::numeric_limits<Number>::max();

/// A thread that alone of its node has a queue pair to the peer's, and one only.
struct End {
  CountedThread *Thread = nullptr;
  QueuePairId Sends = None, Receives = None;
  CompletionQueueId Queue = None; ///< where receives complete, and nothing else but sends:
  bool Mixed = false;
  WorkId Heard = None; ///< of what is sent
};

class Ends {
public:
  Ends(const Inventory &Stock, std::deque<CountedThread> &Threads) : Stock(Stock), Threads(Threads) {}

  /// Why: what keeps the node from being one end of a connection; empty: nothing does.
  End towards(NodeId Home, NodeId Peer, Said &Why) const {
    End Found{onlyUser(Home)};
    auto named = [&](NodeId N) { return Stock.P.Nodes[N].Name; };
    if (Home == Peer || !single(Home) || !single(Peer))
      Why = words::NotOneNode;
    else if (!Found.Thread)
      Why = {words::NotOneThread, named(Home)};
    else if (Stock.Obscure.count(Found.Thread->Index))
      Why = {words::NotAllKnown, named(Home)};
    else if (!pairs(Found, Home, Peer) || !oneConnection(Found))
      Why = {words::NotOnePair, named(Home), named(Peer)};
    if (!Why.empty())
      return Found;
    findQueue(Found);
    for (const Statement &S : Stock.P.Threads[Found.Thread->Index].Statements)
      if (S.Op.Kind == Put && S.Op.Pair == Found.Sends && S.Op.Heard != None)
        Found.Heard = S.Op.Heard;
    return Found;
  }

private:
  /// The thread of the node that posts and polls, where the others do neither.
  CountedThread *onlyUser(NodeId Home) const {
    CountedThread *Found = nullptr;
    for (CountedThread &T : Threads)
      if (T.Home == Home && (!T.Posts.empty() || !T.Polls.empty() || Stock.Obscure.count(T.Index))) {
        if (Found || Stock.P.Threads[T.Index].Many)
          return nullptr;
        Found = &T;
      }
    return Found;
  }

  bool single(NodeId N) const {
    return std::any_of(Stock.T.Nodes.begin(), Stock.T.Nodes.end(), [&](const TopologyNode &Named) {
      const std::vector<NodeId> &Copies = Stock.copies(Named.Name);
      return (Named.Count == 1 || Named.ToldApart) &&
             std::find(Copies.begin(), Copies.end(), N) != Copies.end();
    });
  }

  bool pairs(End &E, NodeId Home, NodeId Peer) const {
    const Program &P = Stock.P;
    for (QueuePairId Id = 0; Id < P.QueuePairs.size(); ++Id) {
      const QueuePair &Q = P.QueuePairs[Id];
      if (P.Threads[Q.Owner].Home != Home || Q.Target != Peer)
        continue;
      QueuePairId &Slot = Stock.receives(Id) ? E.Receives : E.Sends;
      if (Q.Owner != E.Thread->Index || Slot != None)
        return false;
      Slot = Id;
    }
    return (E.Sends != None || E.Receives != None) &&
           (E.Sends == None || E.Receives == None ||
            Inventory::receiving(P.QueuePairs[E.Sends].Name) == P.QueuePairs[E.Receives].Name);
  }

  /// Is it one queue pair for as long as the thread runs?
  bool oneConnection(const End &E) const {
    const Origin *Only = nullptr;
    for (const PostSite &Post : E.Thread->Posts) {
      bool Uses = std::any_of(Post.Pairs.begin(), Post.Pairs.end(),
                              [&](QueuePairId Id) { return Id == E.Sends || Id == E.Receives; });
      if (!Uses)
        continue;
      if (Post.Pairs.size() != 1 || Post.Origins.size() != 1 || Post.Of.Queue != None || !Post.Whole ||
          Post.Origins[0]->Many || (Only && Only != Post.Origins[0]))
        return false;
      Only = Post.Origins[0];
    }
    return Only;
  }

  void findQueue(End &E) const {
    const auto &Pairs = Stock.P.QueuePairs;
    if (E.Receives == None)
      return;
    const CompletionQueueId Queue = Pairs[E.Receives].Queue;
    for (QueuePairId Id = 0; Id < Pairs.size(); ++Id)
      if (Id != E.Receives && Id != E.Sends && Pairs[Id].Owner == E.Thread->Index &&
          !Stock.isOutside(Pairs[Id].Target) && (Pairs[Id].Queue == Queue || Pairs[Id].Queue == None))
        return;
    if (E.Sends != None && Pairs[E.Sends].Queue == None)
      return;
    E.Queue = Queue;
    E.Mixed = E.Sends != None && Queue != None && Pairs[E.Sends].Queue == Queue;
  }

  const Inventory &Stock;
  std::deque<CountedThread> &Threads;
};

/// Messages of one end to the other.
class Direction {
public:
  Direction(Inventory &Stock, const End &From, const End &To)
      : Stock(Stock), Sender(Stock.P.Threads[From.Thread->Index]),
        Receiver(Stock.P.Threads[To.Thread->Index]), From(From), To(To),
        Mailbox{Stock.mailbox(Receiver.Home, From.Thread->Index)} {}

  void match() {
    findBuffers();
    for (StatementId S = 0, Size = Sender.Statements.size(); S < Size; ++S)
      if (const Operation &Op = Sender.Statements[S].Op; Op.Kind == Put && Op.Pair == From.Sends)
        deliver(S);
    for (StatementId S = 0, Size = Receiver.Statements.size(); S < Size; ++S)
      if (const Operation &Op = Receiver.Statements[S].Op; Op.Queue == To.Queue && Op.Queue != None)
        hear(S);
  }

private:
  /// Where the receiver's posted buffers are: a message may go to any of them.
  void findBuffers() {
    for (Statement &S : Receiver.Statements) {
      if (S.Op.Kind != Get || S.Op.Pair != To.Receives)
        continue;
      S.Op.Receives = true;
      auto Same = std::find_if(Buffers.begin(), Buffers.end(),
                               [&](const Access &A) { return A.Target == S.Op.Local.Target; });
      if (Same == Buffers.end()) {
        Buffers.push_back(S.Op.Local);
      } else if (*Same != S.Op.Local) {
        Same->Begin = std::min(Same->Begin, S.Op.Local.Begin);
        Same->End = std::max(Same->End, S.Op.Local.End);
        Same->Somewhere = true;
      }
    }
  }

  void deliver(StatementId S) {
    const bool IsSend = Sender.Statements[S].Op.Remote.Target == Mailbox.Target;
    if (Operation &Op = Sender.Statements[S].Op; Op.Heard != None) {
      Operation Arrival;
      Arrival.Kind = Put;
      Arrival.Pair = Op.Pair;
      Arrival.Local = {Stock.fresh(Sender.Home)};
      Stock.P.Objects[Arrival.Local.Target].Initial = Arrived;
      Arrival.Remote = Mailbox;
      Arrival.Unsignaled = Op.Unsignaled;
      Arrival.Heard = std::exchange(Op.Heard, None);
      Op.Unsignaled = true;
      Sender.insertBehind(S, Arrival, Site(Sender.Statements[S].Where));
    }
    if (!IsSend)
      return;
    Sender.Statements[S].Op.Remote = Buffers.front();
    const std::vector<StatementId> Before = predecessors(Sender)[S];
    for (std::size_t I = 1; I < Buffers.size(); ++I) {
      Statement Other = Sender.Statements[S];
      Other.Op.Remote = Buffers[I];
      Sender.Statements.push_back(std::move(Other));
      for (StatementId B : Before)
        Sender.Statements[B].Successors.push_back(Sender.Statements.size() - 1);
    }
  }

  /// Behind a poll that took a completion, a message has come; where one is called, it is looked whether one
  /// has.
  void hear(StatementId S) {
    Operation Look;
    Look.Kind = Assume;
    Look.Local = Mailbox;
    Look.Constant = Arrived;
    if (Receiver.Statements[S].Op.Kind == Poll) {
      Look.Awaits = oneAtATime();
      Receiver.insertBehind(S, Look, Site(Receiver.Statements[S].Where));
    } else if (!onlyWaits(S)) {
      Look.Kind = Load;
      Receiver.Statements[S].Op = Look;
      Receiver.Statements[S].Lost = Stock.lose({.Where = Receiver.Statements[S].Where,
                                                .Text = words::LookLost,
                                                .Tell = words::TellLook,
                                                .Looks = true});
    }
  }

  /// Whoever takes several completions at once learns from their number that no more had come.
  bool oneAtATime() const {
    return std::all_of(To.Thread->Polls.begin(), To.Thread->Polls.end(), [](const PollSite &Poll) {
      auto *Most = llvm::dyn_cast_or_null<llvm::ConstantInt>(Poll.Most);
      return !Poll.Most || (Most && Most->isOne());
    });
  }

  /// Does a poll that finds nothing lead to the same poll again, whatever else may happen having no effect?
  /// Then nobody can tell how often it found nothing.
  bool onlyWaits(StatementId Call) const {
    const auto &All = Receiver.Statements;
    if (!All[Call].Op.Negated)
      return false;
    auto DeadEnds = Stock.DeadEnds.find(To.Thread->Index);
    std::vector<bool> Seen(All.size());
    std::vector<StatementId> Work = All[Call].Successors;
    while (!Work.empty()) {
      StatementId S = Work.back();
      Work.pop_back();
      if (S == Call || Seen[S])
        continue;
      Seen[S] = true;
      const Operation &Op = All[S].Op;
      if (Op.Kind == Poll && Op.Queue == To.Queue)
        continue;
      // Another poll would have stopped the search: it is this one that has failed, and not found nothing.
      if (Op.Kind == Nop && Stock.hasFailed(All[S].Lost))
        continue;
      bool Silent = Op.Kind == Nop && !Op.Outside && Op.Queue == None;
      bool Own = Op.Kind == Load || (Op.Kind == Store && All[S].Source == All[Call].Source);
      bool Hidden = Own && !Stock.exposed(Op.Local.Target);
      bool Ends = All[S].Successors.empty() && DeadEnds != Stock.DeadEnds.end() && DeadEnds->second.count(S);
      if (!Silent && !Hidden)
        return false;
      if (All[S].Successors.empty() && !Ends)
        return false;
      Work.insert(Work.end(), All[S].Successors.begin(), All[S].Successors.end());
    }
    return true;
  }

  static constexpr std::int64_t Arrived = 1;
  Inventory &Stock;
  Thread &Sender, &Receiver;
  const End &From, &To;
  const Access Mailbox;
  std::vector<Access> Buffers;
};

/// How many more messages an end has sent than it has polled of the other's, at most.
class Lead {
public:
  Lead(const Thread &T, const End &E) : T(T), E(E), Before(T.Statements.size()) {
    Before[T.Entry] = 0;
    std::vector<StatementId> Work{T.Entry};
    while (!Work.empty()) {
      StatementId S = Work.back();
      Work.pop_back();
      const Number Out = behind(S);
      for (StatementId Next : T.Statements[S].Successors)
        if (!Before[Next] || *Before[Next] < Out) {
          Before[Next] = Out;
          Work.push_back(Next);
        }
    }
  }

  Number behind(StatementId S) const {
    const Operation &Op = T.Statements[S].Op;
    Number Here = Before[S].value_or(0);
    if (Here == Endless)
      return Endless;
    Here += sends(Op);
    Here -= polls(Op) ? Op.Count : 0;
    return Here > static_cast<Number>(T.Statements.size()) ? Endless : Here;
  }

  bool sends(const Operation &Op) const { return Op.Kind == Put && Op.Pair == E.Sends && Op.Heard != None; }
  bool polls(const Operation &Op) const { return Op.Kind == Poll && Op.Queue == E.Queue; }

  /// The most of it right behind a message.
  Number most() const {
    Number Most = -Endless;
    for (StatementId S = 0; S < T.Statements.size(); ++S)
      if (Before[S] && sends(T.Statements[S].Op))
        Most = std::max(Most, behind(S));
    return Most;
  }

private:
  const Thread &T;
  const End &E;
  std::vector<std::optional<Number>> Before;
};

/// Where the other end has answered everything: what was sent, and written before, has arrived.
void waitForAnswers(Program &P, const End &Own, const End &Other) {
  Thread &T = P.Threads[Own.Thread->Index];
  const Number Ahead = Lead(P.Threads[Other.Thread->Index], Other).most();
  if (Ahead == Endless || Ahead == -Endless)
    return;
  const Lead Mine(T, Own);
  std::vector<StatementId> Answered;
  for (StatementId S = 0; S < T.Statements.size(); ++S)
    if (Mine.polls(T.Statements[S].Op) && Mine.behind(S) != Endless && Mine.behind(S) <= -Ahead)
      Answered.push_back(S);
  for (StatementId S : Answered) {
    Operation Arrival;
    Arrival.Kind = Wait;
    Arrival.Id = Own.Heard;
    T.insertBehind(S, Arrival, {});
  }
}

/// Does an end post WRITEs with immediate data?
bool tellsByWrite(Inventory &Stock, const End &From, const End &To) {
  const ObjectId Mailbox = Stock.mailbox(Stock.P.Threads[To.Thread->Index].Home, From.Thread->Index);
  const std::vector<Statement> &All = Stock.P.Threads[From.Thread->Index].Statements;
  return std::any_of(All.begin(), All.end(),
                     [&](const Statement &S) { return S.Op.Heard != None && S.Op.Remote.Target != Mailbox; });
}

} // namespace

std::map<QueuePairId, CompletionQueueId> matchMessages(Inventory &Stock, std::deque<CountedThread> &Threads,
                                                       RemarkLog &Log) {
  Program &P = Stock.P;
  std::map<QueuePairId, CompletionQueueId> Was;
  std::set<QueuePairId> Matched;
  std::map<std::pair<NodeId, NodeId>, Said> WhyNot; ///< by sender and receiver
  const Ends Find(Stock, Threads);
  for (NodeId A = 0; A < P.Nodes.size(); ++A)
    for (NodeId B = A + 1; B < P.Nodes.size(); ++B) {
      Said Why;
      End One = Find.towards(A, B, Why), Two = Why.empty() ? Find.towards(B, A, Why) : End();
      WhyNot[{A, B}] = WhyNot[{B, A}] = Why;
      if (!Why.empty())
        continue;
      auto unmix = [&](End &To, const End &From) {
        if (!To.Mixed)
          return;
        const std::string Key = Inventory::receiving(Stock.keyOf(To.Queue));
        const MixedQueue Mixed{To.Sends, To.Receives, To.Queue, Stock.completionQueue(To.Thread->Index, Key),
                               tellsByWrite(Stock, From, To)};
        if (!separateKinds(Stock, *To.Thread, Mixed)) {
          To.Queue = None;
          return;
        }
        Was[To.Receives] = To.Queue;
        P.QueuePairs[To.Receives].Queue = To.Queue = Mixed.Received;
      };
      if (Two.Heard != None && One.Receives != None)
        unmix(One, Two);
      if (One.Heard != None && Two.Receives != None)
        unmix(Two, One);
      auto match = [&](const End &From, const End &To, Said &Unless) {
        if (From.Heard == None)
          Unless = words::PeerSilent;
        else if (To.Receives == None)
          Unless = words::PeerDeaf;
        else if (To.Queue == None)
          Unless = words::ReceivesMixed;
        if (!Unless.empty())
          return false;
        Direction(Stock, From, To).match();
        Matched.insert({From.Sends, To.Receives});
        return true;
      };
      const bool There = match(One, Two, WhyNot[{A, B}]), Back = match(Two, One, WhyNot[{B, A}]);
      if (There && Back) {
        waitForAnswers(P, One, Two);
        waitForAnswers(P, Two, One);
      }
    }
  for (const MessageSite &M : Stock.Messages) {
    if (Matched.count(M.Pair))
      continue;
    const QueuePair &Q = P.QueuePairs[M.Pair];
    const NodeId Home = P.Threads[Q.Owner].Home;
    const Said &Why = Stock.receives(M.Pair) ? WhyNot[{Q.Target, Home}] : WhyNot[{Home, Q.Target}];
    Log.add(M.Where, Why.empty() || !Stock.T.given() ? M.Text : Said(words::UnmatchedBecause, M.Text, Why),
            false);
  }
  for (Thread &T : P.Threads)
    for (Statement &S : T.Statements) {
      if (S.Op.Kind == Nop)
        S.Op.Queue = None, S.Op.Negated = false;
      if (S.Op.Kind == Put && !Matched.count(S.Op.Pair))
        S.Op.Heard = None;
    }
  return Was;
}

} // namespace rdma::clang_ir
