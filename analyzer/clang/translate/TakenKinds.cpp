#include "analyzer/clang/translate/TakenKinds.h"
#include "analyzer/clang/translate/ClosedWays.h"
#include "analyzer/clang/translate/FailedCalls.h"
#include "analyzer/clang/translate/Polls.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

constexpr unsigned Many = 8; ///< completions out: this many, or more
constexpr unsigned MostTaken = 4;
constexpr std::size_t MostLetters = 6, MostSteps = 4'000;

struct State {
  unsigned Sends = 0, Receives = 0; ///< out at most
  Known K;
  auto operator<=>(const State &) const = default;
};

unsigned more(unsigned Out) { return std::min(Out + 1, Many); }
unsigned less(unsigned Out, unsigned Taken) { return Out == Many ? Many : Out - std::min(Out, Taken); }

class Separation {
public:
  Separation(Inventory &Stock, CountedThread &T, const MixedQueue &Queue)
      : Stock(Stock), T(T), Old(Stock.P.Threads[T.Index]), Queue(Queue), Ways(T, Queue.Both, Queue.Immediate),
        Limit(1000 + 8 * Old.Statements.size()) {
    T.Sources.resize(Old.Statements.size());
    for (const auto &[Block, S] : T.Entries)
      Begins[S] = Block;
    for (const PollSite &P : T.Polls)
      if (P.Queue == Queue.Both)
        Polls[P.Call] = &P;
    for (const PostSite &P : T.Posts)
      if (P.MaySignalAll)
        AllSignaled.insert(P.Call);
    findEnded();
    findFailed();
  }

  bool run() {
    for (const auto &[Call, P] : Polls)
      if (!P->Cq || P->Cq->Many)
        return false;
    do {
      Nodes.clear(), Numbers.clear(), Work.clear();
      walk();
      if (Nodes.size() > Limit && !Ways.followLess())
        return false;
    } while (Ways.gaveUp() || Nodes.size() > Limit);
    hideLooks();
    replace();
    return true;
  }

private:
  struct Node {
    StatementId Of;
    Operation Op;
    const BasicBlock *Block;
    State Before;
    std::vector<unsigned> Next = {};
  };

  /// The node of a statement in a state; None: no execution comes there.
  unsigned node(StatementId S, const BasicBlock *From, State Now) {
    const BasicBlock *Block = From;
    if (auto Begin = Begins.find(S); Begin != Begins.end()) {
      Block = Begin->second;
      if (!Ways.enter(Now.K, From, Block))
        return None;
    }
    auto [Found, New] = Numbers.try_emplace({S, Block, Now}, Nodes.size());
    if (New) {
      Nodes.push_back({S, Old.Statements[S].Op, Block, Now});
      Work.push_back(Found->second);
    }
    return Found->second;
  }

  void goOn(unsigned From, const State &Now) {
    const StatementId S = Nodes[From].Of;
    const BasicBlock *Block = Nodes[From].Block;
    for (StatementId Next : Old.Statements[S].Successors)
      if (unsigned To = node(Next, Block, Now); To != None)
        Nodes[From].Next.push_back(To);
  }

  void walk() {
    node(Old.Entry, nullptr, {});
    while (!Work.empty() && Nodes.size() <= Limit) {
      const unsigned At = Work.back();
      Work.pop_back();
      const Operation Op = Nodes[At].Op;
      State Now = Nodes[At].Before;
      auto *Call = dyn_cast_or_null<CallBase>(T.Sources[Nodes[At].Of]);
      if (Op.Kind == Poll && Op.Queue == Queue.Both) {
        poll(At, Op.Count, *Call);
        continue;
      }
      if (Op.Kind == Nop && Op.Queue == Queue.Both) {
        Ways.forget(Now.K, *Call);
        // Without a buffer no message can have come.
        Nodes[At].Op.Queue = Now.Receives ? Queue.Received : None;
        Nodes[At].Op.Negated &= Now.Receives && !Now.Sends;
      } else if (isRequest(Op.Kind) && (Op.Id == None || Op.Counted)) {
        if (Op.Pair == Queue.Sends && (!Op.Unsignaled || AllSignaled.count(Call)))
          Now.Sends = more(Now.Sends);
        if (Op.Pair == Queue.Receives && !Op.Unsignaled)
          Now.Receives = more(Now.Receives);
      }
      goOn(At, Now);
    }
  }

  /// Each number of sends among the completions taken that may be. Both kinds: in either order.
  void poll(unsigned At, unsigned Count, const CallBase &Call) {
    const State Now = Nodes[At].Before;
    const unsigned Sends = Now.Sends == Many ? Count : std::min(Count, Now.Sends);
    const unsigned Receives = Now.Receives == Many ? Count : std::min(Count, Now.Receives);
    Nodes[At].Op = {};
    if (Sends + Receives < Count) // it never takes so many
      return;
    // Of very many it is only said what all ways have in common.
    if (Sends + Receives - Count > MostTaken)
      return taken(At, Count - Receives, Count - Sends, true, Call);
    for (unsigned OfSends = Count - Receives; OfSends <= Sends; ++OfSends) {
      taken(At, OfSends, Count - OfSends, true, Call);
      if (OfSends && OfSends < Count)
        taken(At, OfSends, Count - OfSends, false, Call);
    }
  }

  void taken(unsigned At, unsigned Sends, unsigned Receives, bool SendsFirst, const CallBase &Call) {
    State Now = Nodes[At].Before;
    unsigned Last = At;
    auto part = [&](unsigned Count, CompletionQueueId From) {
      if (!Count)
        return;
      Operation Op;
      Op.Kind = Poll;
      Op.Count = Count;
      Op.Queue = From;
      Nodes.push_back({Nodes[At].Of, Op, Nodes[At].Block, Now});
      Nodes[Last].Next.push_back(Nodes.size() - 1);
      Last = Nodes.size() - 1;
      (From == Queue.Both ? Now.Sends : Now.Receives) =
          less(From == Queue.Both ? Now.Sends : Now.Receives, Count);
    };
    for (bool First : {true, false})
      First == SendsFirst ? part(Sends, Queue.Both) : part(Receives, Queue.Received);
    if (Sends + Receives == 1)
      Ways.take(Now.K, Call, Sends ? Kind::Send : Kind::Receive);
    else
      Ways.forget(Now.K, Call);
    goOn(Last, Now);
  }

  /// Blocks from which every way ends the program.
  void findEnded() {
    for (bool Grown = true; std::exchange(Grown, false);)
      for (const BasicBlock &Block : T.F)
        if (!Ended.count(&Block) && !isa<ReturnInst>(Block.getTerminator()) &&
            all_of(successors(&Block), [&](const BasicBlock *Next) { return Ended.count(Next); }))
          Grown = Ended.insert(&Block).second;
  }

  /// Ways on which a poll, or the request whose completion it took, has failed: that is not to have found
  /// nothing. What is reached by such ways only counts as ended.
  void findFailed() {
    auto add = [&](const BasicBlock *From, unsigned Successor) {
      Failed.insert({From, From->getTerminator()->getSuccessor(Successor)});
    };
    for (const auto &[Call, P] : Polls)
      for (const auto &[At, Certain] : failedWays(Call, T.Tree))
        if (Certain)
          add(At.first, At.second);
    for (const BasicBlock &Block : T.F)
      if (int Successor = successorOnFailedCompletion(Block); Successor >= 0)
        add(&Block, Successor);
    std::set<const BasicBlock *> Reached{&T.F.getEntryBlock()};
    std::vector<const BasicBlock *> Left(Reached.begin(), Reached.end());
    while (!Left.empty()) {
      const BasicBlock *Block = Left.back();
      Left.pop_back();
      for (const BasicBlock *Next : successors(Block))
        if (!Failed.count({Block, Next}) && Reached.insert(Next).second)
          Left.push_back(Next);
    }
    for (const BasicBlock &Block : T.F)
      if (!Reached.count(&Block))
        Ended.insert(&Block);
  }

  bool isDeadEnd(StatementId S) const {
    auto Of = Stock.DeadEnds.find(T.Index);
    return Of != Stock.DeadEnds.end() && Of->second.count(S);
  }

  bool isAnything(LostFactId Lost) const { return Lost != None && Stock.P.LostFacts[Lost].Everything; }

  /// Has it no effect that anyone could tell?
  bool isHidden(const Node &N) const {
    const Operation &Op = N.Op;
    if (Op.Kind == Poll)
      return Op.Queue == Queue.Both || Op.Queue == Queue.Received;
    if (Op.Kind == Nop)
      return !Op.Outside && !isAnything(Old.Statements[N.Of].Lost);
    const Instruction *From = T.Sources[N.Of];
    bool Own =
        Op.Kind == Load || Op.Kind == Assume ||
        (Op.Kind == Store && From && (isa<LifetimeIntrinsic>(From) || Polls.count(dyn_cast<CallBase>(From))));
    return Own && !Stock.exposed(Op.Local.Target);
  }

  /// Where a send's completion is taken and a message's could be, or none is taken, no message had come. It
  /// cannot be told where the thread does nothing until it has taken that message's, too, and comes to the
  /// same place as if that had been first.
  bool cannotBeTold(unsigned Look) const {
    using Step = std::pair<unsigned, std::string>; // and what was taken on the way
    std::map<std::string, std::set<unsigned>> Places;
    std::set<std::string> Words, EndOpen;
    std::set<const BasicBlock *> Inside;
    std::set<std::pair<Step, bool>> Seen;
    std::vector<std::pair<Step, bool>> Left{{{Look, ""}, true}};
    while (!Left.empty()) {
      auto [At, Open] = Left.back();
      const Node &N = Nodes[At.first];
      Left.pop_back();
      if (!Seen.insert({At, Open}).second)
        continue;
      if (Seen.size() > MostSteps || At.second.size() > MostLetters)
        return false;
      Words.insert(At.second);
      const bool Ends = N.Next.empty();
      if (Ends && (isDeadEnd(N.Of) || !Old.Statements[N.Of].Successors.empty())) // by exit, or no execution
        continue;
      if (Ends || !isHidden(N)) {
        if (Open)
          return false;
        Places[At.second].insert(At.first);
        continue;
      }
      Inside.insert(N.Block);
      if (Begins.count(N.Of) && !Ways.tellsAll(N.Before.K, N.Block))
        return false;
      std::string Word = At.second;
      if (N.Op.Kind == Poll && N.Op.Queue == Queue.Received)
        Word.append(N.Op.Count, 'R'), Open = false;
      else if (N.Op.Kind == Poll)
        Word.append(N.Op.Count, 'S'), Open |= N.Before.Receives > 0;
      for (unsigned Next : N.Next)
        if (!Failed.count({N.Block, Nodes[Next].Block}))
          Left.push_back({{Next, Word}, Open});
    }
    for (const auto &[Word, At] : Places) {
      auto Longer = Words.upper_bound(Word);
      if (At.size() != 1 || (Longer != Words.end() && Longer->starts_with(Word)))
        return false;
      for (std::size_t I = Word.find("SR"); I != std::string::npos; I = Word.find("SR", I + 1)) {
        std::string Sooner = Word;
        std::swap(Sooner[I], Sooner[I + 1]);
        if (auto Found = Places.find(Sooner); Found == Places.end() || Found->second != At)
          return false;
      }
    }
    std::vector<unsigned> Behind;
    for (const auto &[Word, At] : Places)
      Behind.insert(Behind.end(), At.begin(), At.end());
    return !Ways.leavesTraces(Inside, Ended,
                              [&](const AllocaInst &Buffer) { return beforeNext(Behind, Buffer); });
  }

  /// The blocks that are reached from these nodes before another completion is taken into the buffer.
  std::set<const BasicBlock *> beforeNext(std::vector<unsigned> Left, const AllocaInst &Buffer) const {
    std::set<const BasicBlock *> Blocks;
    std::set<unsigned> Seen;
    while (!Left.empty()) {
      const unsigned At = Left.back();
      const Node &N = Nodes[At];
      Left.pop_back();
      auto *Call = dyn_cast_or_null<CallBase>(T.Sources[N.Of]);
      if (!Seen.insert(At).second || (N.Op.Kind == Poll && Call && Ways.fills(*Call, Buffer)))
        continue;
      Blocks.insert(N.Block);
      Left.insert(Left.end(), N.Next.begin(), N.Next.end());
    }
    return Blocks;
  }

  void hideLooks() {
    std::vector<unsigned> Hidden;
    for (unsigned At = 0; At < Nodes.size(); ++At)
      if (Nodes[At].Op.Kind == Nop && Nodes[At].Op.Queue == Queue.Received && cannotBeTold(At))
        Hidden.push_back(At);
    for (unsigned At : Hidden)
      Nodes[At].Op.Queue = None, Nodes[At].Op.Negated = false;
  }

  void replace() {
    std::vector<Statement> All;
    std::vector<const Instruction *> Sources;
    std::set<StatementId> DeadEnds;
    T.Entries.clear();
    for (unsigned At = 0; At < Nodes.size(); ++At) {
      Node &N = Nodes[At];
      Statement S = Old.Statements[N.Of];
      S.Op = std::move(N.Op);
      S.Successors.assign(N.Next.begin(), N.Next.end());
      if (isDeadEnd(N.Of) || (S.Successors.empty() && !Old.Statements[N.Of].Successors.empty()))
        DeadEnds.insert(At);
      if (auto Begin = Begins.find(N.Of); Begin != Begins.end())
        T.Entries.insert({Begin->second, At});
      All.push_back(std::move(S));
      Sources.push_back(T.Sources[N.Of]);
    }
    Old.Statements = std::move(All);
    Old.Entry = 0;
    T.Sources = std::move(Sources);
    Stock.DeadEnds[T.Index] = std::move(DeadEnds);
  }

  Inventory &Stock;
  CountedThread &T;
  Thread &Old;
  const MixedQueue Queue;
  ClosedWays Ways;
  const std::size_t Limit;
  std::map<StatementId, const BasicBlock *> Begins;
  std::map<const CallBase *, const PollSite *> Polls;
  std::set<const CallBase *> AllSignaled;
  std::set<const BasicBlock *> Ended;
  std::set<std::pair<const BasicBlock *, const BasicBlock *>> Failed;
  std::vector<Node> Nodes;
  std::map<std::tuple<StatementId, const BasicBlock *, State>, unsigned> Numbers;
  std::vector<unsigned> Work;
};

} // namespace

bool separateKinds(Inventory &Stock, CountedThread &T, const MixedQueue &Queue) {
  return Separation(Stock, T, Queue).run();
}

} // namespace rdma::clang_ir
