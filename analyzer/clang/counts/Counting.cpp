#include "analyzer/clang/counts/Counting.h"
#include "analyzer/clang/api/WorkRequests.h"
#include "analyzer/clang/counts/CountedQueues.h"
#include "analyzer/clang/counts/Invariants.h"
#include "analyzer/clang/counts/PostNames.h"
#include "analyzer/clang/counts/Relevant.h"
#include "analyzer/clang/counts/Sharing.h"
#include "analyzer/clang/counts/Touched.h"
#include "analyzer/clang/translate/Tested.h"
#include "analyzer/core/Verdict.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

/// Beyond this many instructions times cuts, a thread is too large to be counted.
constexpr std::size_t MostWork = 150'000;
constexpr std::size_t MostQuestions = 600;

bool writesLocal(OperationKind K) { return isCpuWrite(K) || fetches(K); }

/// What is proved of a thread, and the names of its requests.
struct Proved {
  PostNames Names;
  std::set<std::pair<const CallBase *, StatementId>> Clear;  ///< of a post's requests
  std::set<std::pair<const CallBase *, const Value *>> Over; ///< where: a block, or a call that joins
  std::set<const CallBase *> Awaited;                        ///< posts whose requests are over somewhere
};

class Counter {
public:
  /// T: a thread, or what it does with one of its queues.
  Counter(Inventory &Stock, const CountedThread &T, const CountedThread &Whole, Sharing &Shared,
          Proved &Known, Replays &Shown, Budget &Cost)
      : Stock(Stock), P(Stock.P), T(T), Whole(Whole), Shared(Shared), Known(Known), Shown(Shown), Cost(Cost) {
  }

  void run() {
    if (T.Posts.empty() || Cost.spent())
      return;
    std::vector<QueueFacts> Queues = queuesOf(Stock, T);
    if (std::none_of(Queues.begin(), Queues.end(), [](const QueueFacts &Q) { return Q.Closed; }))
      return;
    std::vector<SharedCounter> Counters = Shared.readBy(T, Queues);
    std::vector<TakenByEnd> Ends = Shared.endsFor(T, Queues);
    bool Polls = !T.Polls.empty() || !Counters.empty() || !Ends.empty();
    Cells Memory(T, Shared.writtenBeside(T), std::move(Counters));
    std::optional<Relevant> Only;
    std::optional<System> Sys;
    auto build = [&](bool Slice) {
      if (Slice) {
        Only = relevantFor(T, Memory, asked());
        Memory.keep(Only->Cells);
      }
      Sys.emplace(T, Memory, Queues, P, Only ? &Only->Values : nullptr);
      Sys->Ends = Ends;
      S = &*Sys;
    };
    build(&T != &Whole);
    if (!Polls && !Sys->awaitsAny())
      return;
    if (Sys->cuts().size() * T.F.getInstructionCount() > MostWork)
      return;
    collectQuestions();
    if (Questions.empty() &&
        all_of(Waits, [&](const Exit &E) { return Known.Awaited.count(E.Post->Call) != 0; }))
      return;
    // Flags and indices need equations and few bounds; those of windows take long to find beside arrays.
    const bool Arrays = Sys->HasFamilies || Sys->HasIds;
    if (!Only && !Arrays && T.Joins.empty() && Ends.empty())
      build(true);
    Outcome Found = prove({Arrays, true});
    if (Found == Outcome::GivenUp && !allShown()) // the program has no numbers without a sign, or too many
      Found = prove({Arrays, false});
    if (Found != Outcome::Answered && Arrays && !allShown())
      prove({false, false});
  }

private:
  /// Where it is asked what is out.
  std::set<const BasicBlock *> asked() const {
    std::set<const BasicBlock *> Blocks;
    for (const Question &Q : Questions)
      Blocks.insert(T.Sources[Q.Later]->getParent());
    return Blocks;
  }

  enum class Outcome { Answered, Open, GivenUp };

  /// Takes what is proved from what is open.
  Outcome prove(Effort Given) {
    std::set<const Instruction *> Watched;
    for (const Question &Q : Questions)
      Watched.insert(T.Sources[Q.Later]);
    for (const Exit &E : Waits)
      if (E.Join)
        Watched.insert(E.Join), Watched.insert(E.Join->getNextNode());
    Invariants Proofs(*S, Watched, Cost, Given);
    if (!Proofs.find())
      return Outcome::GivenUp;
    Below.clear();
    // Nothing is concluded about places that seem to be unreachable, but where a branch passes by them.
    std::map<const BasicBlock *, bool> Reached;
    auto reached = [&](const BasicBlock *Block) {
      auto [Found, New] = Reached.try_emplace(Block, false);
      if (New)
        Found->second = Proofs.possible([&](Region &R) -> std::optional<z3::expr> {
          return R.contains(Block) ? std::optional(R.reaches(Block)) : std::nullopt;
        });
      return Found->second;
    };
    answer(Proofs, reached);
    leaveShown();
    if (Questions.empty() && (Waits.empty() || !needsWaits()))
      return Outcome::Answered;
    // What comes behind is found with more bounds, once.
    if (!Questions.empty() && Given.OnlySmall)
      return Outcome::Open;
    if (!Proofs.findRest())
      return Outcome::GivenUp;
    Reached.clear(), Below.clear();
    // A loop that nothing is left for says nothing new.
    std::erase_if(Waits, [&](const Exit &E) {
      if (mayBeBelow(Proofs, *E.Post) || !reached(E.Block) ||
          !Proofs.possible([&](Region &R) { return outBefore(E, R); }))
        return false;
      for (const Exit &Behind : soonBehind(E))
        if (reached(Behind.Block) && !Proofs.possible([&](Region &R) { return outBehind(Behind, R); })) {
          insertWait(Behind);
          return true;
        }
      return false;
    });
    return Questions.empty() && (Waits.empty() || !needsWaits()) ? Outcome::Answered : Outcome::Open;
  }

  /// Is anything left that one more wait could order?
  bool needsWaits() const {
    if (!LeftOpen && hasLocalRaces(P))
      return true;
    const Verdict V = decide(P, Model::RdmaTso);
    return !(V.Fenced || V.TreeFenced || V.Cycles);
  }

  /// What a replay shows to be open is not asked again. It is asked once: a proof says more.
  void leaveShown() {
    if (Questions.empty())
      return;
    const SeenPairs &Open = Shown.of(Whole);
    LeftOpen |= std::erase_if(Questions, [&](const Question &Q) {
                  return Open.count({Q.Earlier->Call, T.Sources[Q.Later]}) != 0;
                }) != 0;
  }
  bool allShown() {
    leaveShown();
    return Questions.empty() && (Waits.empty() || !needsWaits());
  }

  struct Question {
    const PostSite *Earlier;
    StatementId Later;
  };

  /// Where a loop that polls is left, or a thread or a semaphore has been waited for: requests may all be
  /// complete. Before: the header of the loop. Join: the call, behind which the place is in its block.
  struct Exit {
    const BasicBlock *Block, *Before;
    const PostSite *Post;
    const CallBase *Join;
    const Value *place() const { return Join ? static_cast<const Value *>(Join) : Block; }
  };

  /// The place itself, and behind the test of the last poll's result for an error.
  static SmallVector<Exit, 3> soonBehind(const Exit &E) {
    SmallVector<Exit, 3> All{E};
    auto *Compare = E.Join ? nullptr : dyn_cast_or_null<ICmpInst>(testedAtEnd(*E.Block));
    if (Compare && isa<ConstantInt>(Compare->getOperand(1)))
      for (const BasicBlock *Next : successors(E.Block))
        if (Next->getSinglePredecessor() && !isa<UnreachableInst>(Next->getTerminator()))
          All.push_back({Next, E.Before, E.Post, nullptr});
    return All;
  }

  /// What a request of a post does with its buffer, and what is listed behind it.
  struct Use {
    Access Bytes;
    bool Written;
    std::set<StatementId> Behind;
  };

  /// The index in focus is not below zero: of posts whose index may be, nothing is known.
  bool mayBeBelow(Invariants &Proofs, const PostSite &Post) {
    if (Post.Of.Queue == None)
      return false;
    auto [Found, New] = Below.try_emplace(&Post, true);
    if (New)
      Found->second = Proofs.possible([&](Region &R) -> std::optional<z3::expr> {
        const BasicBlock *Block = Post.Call->getParent();
        return R.contains(Block) ? std::optional(R.reaches(Block) && R.inFocus(*Post.Call, Post.Of) < 0)
                                 : std::nullopt;
      });
    return Found->second;
  }

  /// Of the places that every way to the block comes by, the last one that is reached is a branch, and where
  /// its arms come together again is reached, too, or where it leaves a loop around both: it takes another
  /// arm. A wait for what nobody seems to do has none.
  template <class Reached> bool isPassedBy(const BasicBlock &Block, Reached reached) {
    const auto *From = T.Tree.getNode(&Block);
    while (From && !reached(From->getBlock()))
      From = From->getIDom();
    if (!From)
      return false;
    const BasicBlock *Branch = From->getBlock();
    const Loop *Around = T.Loops.getLoopFor(Branch);
    while (Around && !Around->contains(&Block))
      Around = Around->getParentLoop();
    return any_of(behind(&Block, Branch),
                  [&](const BasicBlock *Join) {
                    return Join->hasNPredecessorsOrMore(2) && T.Tree.properlyDominates(Branch, Join) &&
                           reached(Join);
                  }) ||
           (Around && any_of(successors(Branch), [&](const BasicBlock *Next) {
              return !Around->contains(Next) && reached(Next);
            }));
  }

  /// Most programs are right: one question for all that stand in a block, and each alone when that fails.
  template <class Reached> void answer(Invariants &Proofs, Reached reached) {
    std::vector<Question> Open;
    for (auto Q = Questions.begin(); Q != Questions.end();) {
      const BasicBlock *Block = T.Sources[Q->Later]->getParent();
      auto End = std::find_if(Q, Questions.end(), [&](const Question &Next) {
        return T.Sources[Next.Later]->getParent() != Block || Next.Earlier != Q->Earlier;
      });
      auto harmless = [&](auto From, auto To) {
        return !Proofs.possible([&](Region &R) -> std::optional<z3::expr> {
          z3::expr_vector Any(S->Context);
          for (auto One = From; One != To; ++One)
            if (std::optional<z3::expr> Harm = harm(*One, R))
              Any.push_back(*Harm);
          return Any.empty() ? std::nullopt : std::optional(z3::mk_or(Any));
        });
      };
      const bool Sure = !mayBeBelow(Proofs, *Q->Earlier) && (reached(Block) || isPassedBy(*Block, reached));
      const bool All = Sure && harmless(Q, End);
      for (; Q != End; ++Q)
        if (All || (std::distance(Q, End) > 1 && Sure && harmless(Q, Q + 1)))
          isClear(*Q);
        else
          Open.push_back(*Q);
    }
    Questions = std::move(Open);
  }

  void collectQuestions() {
    const std::vector<Statement> &Statements = P.Threads[T.Index].Statements;
    for (const PostSite &Post : T.Posts) {
      if (!S->follows(Post))
        continue;
      std::vector<Use> Uses;
      for (StatementId St = 0; St < T.Sources.size(); ++St)
        if (T.Sources[St] == Post.Call && isRequest(Statements[St].Op.Kind) && !Statements[St].Op.Inline)
          Uses.push_back({Statements[St].Op.Local, writesLocal(Statements[St].Op.Kind), listedBehind(St)});
      std::set<const BasicBlock *> Behind = behind(Post.Call->getParent());
      for (StatementId St = 0; St < T.Sources.size() && Questions.size() < MostQuestions; ++St) {
        const Operation &Op = Statements[St].Op;
        if (!T.Sources[St] || !Op.Local.valid() || !Behind.count(T.Sources[St]->getParent()))
          continue;
        bool Asked = false, SameList = false;
        for (const Use &U : Uses)
          if ((U.Written || writesLocal(Op.Kind)) && mayOverlap(P, U.Bytes, Op.Local)) {
            Asked = true;
            SameList |= U.Behind.count(St) != 0;
          }
        if (Asked && !SameList && !Known.Clear.count({Post.Call, St}))
          Questions.push_back({&Post, St});
      }
      collectWaits(Post, Behind);
    }
  }

  /// What comes behind a request in the list that one call posts. What is known before the call says nothing
  /// of these two, and a list has one name: where they touch the same bytes, their queue pair orders them or
  /// nothing does.
  std::set<StatementId> listedBehind(StatementId Request) const {
    const std::vector<Statement> &Statements = P.Threads[T.Index].Statements;
    std::set<StatementId> Seen;
    std::vector<StatementId> Work{Request};
    while (!Work.empty()) {
      StatementId From = Work.back();
      Work.pop_back();
      for (StatementId To : Statements[From].Successors)
        if ((!T.Sources[To] || T.Sources[To] == T.Sources[Request]) && Seen.insert(To).second)
          Work.push_back(To);
    }
    return Seen;
  }

  /// All that the block leads to, by ways that do not come by the other one.
  static std::set<const BasicBlock *> behind(const BasicBlock *Block, const BasicBlock *Other = nullptr) {
    std::set<const BasicBlock *> Seen{Block};
    std::vector<const BasicBlock *> Work{Block};
    while (!Work.empty()) {
      const BasicBlock *Next = Work.back();
      Work.pop_back();
      for (const BasicBlock *After : successors(Next))
        if (After != Other && Seen.insert(After).second)
          Work.push_back(After);
    }
    return Seen;
  }

  /// Where a loop that polls is left, its requests may all be complete.
  void collectWaits(const PostSite &Post, const std::set<const BasicBlock *> &Behind) {
    const bool AllSignaled =
        Post.SignalsAll || std::all_of(Post.Requests.begin(), Post.Requests.end(),
                                       [](const PostSite::Request &R) { return R.Signaled.value_or(false); });
    if (!AllSignaled)
      return;
    std::map<const BasicBlock *, const BasicBlock *> Places; // and the header of the loop
    auto around = [&](const Instruction &Taking) {
      for (const Loop *L = T.Loops.getLoopFor(Taking.getParent()); L; L = L->getParentLoop()) {
        if (L->contains(Post.Call))
          break;
        SmallVector<BasicBlock *, 8> Exits;
        L->getUniqueExitBlocks(Exits);
        for (const BasicBlock *Exit : Exits)
          Places.try_emplace(Exit, L->getHeader());
      }
    };
    for (const PollSite &Poll : T.Polls)
      around(*Poll.Call);
    for (const Instruction &I : instructions(T.F))
      if (S->readsShared(I))
        around(I);
    for (const auto &[Block, Header] : Places)
      if (Behind.count(Block) && !isa<UnreachableInst>(Block->getTerminator()))
        Waits.push_back({Block, Header, &Post, nullptr});
    for (const Instruction &I : instructions(T.F))
      if (auto *Call = dyn_cast<CallInst>(&I); Call && S->readsShared(I) && Behind.count(I.getParent()))
        Waits.push_back({I.getParent(), I.getParent(), &Post, Call});
    for (const TakenByEnd &End : S->Ends) {
      auto *Invoke = dyn_cast<InvokeInst>(End.Call); // where it throws nobody has waited
      const BasicBlock *Block = End.Call->getParent(), *Next = Invoke ? Invoke->getNormalDest() : Block;
      if (Behind.count(Block) && (!Invoke || Next->getSinglePredecessor()))
        Waits.push_back({Next, Block, &Post, Invoke ? nullptr : End.Call});
    }
    std::erase_if(Waits, [&](const Exit &E) { return Known.Over.count({E.Post->Call, E.place()}) != 0; });
  }

  z3::expr follows(const State &Now, const PostSite &Post) {
    return Now[S->pending()] == 1 && Now[S->site()] == static_cast<int>(S->number(Post));
  }

  std::optional<z3::expr> stillOut(const BasicBlock &Block, const PostSite &Post, Region &R) {
    if (!R.contains(&Block))
      return std::nullopt;
    return R.reaches(&Block) && follows(R.entering(&Block), Post);
  }
  std::optional<z3::expr> stillOut(const Instruction &I, const PostSite &Post, Region &R) {
    const State *Now = R.before(&I);
    return Now ? std::optional(R.reaches(I.getParent()) && follows(*Now, Post)) : std::nullopt;
  }
  std::optional<z3::expr> outBefore(const Exit &E, Region &R) {
    return E.Join ? stillOut(*E.Join, *E.Post, R) : stillOut(*E.Before, *E.Post, R);
  }
  std::optional<z3::expr> outBehind(const Exit &E, Region &R) {
    return E.Join ? stillOut(*E.Join->getNextNode(), *E.Post, R) : stillOut(*E.Block, *E.Post, R);
  }

  /// The request is out and the statement touches its bytes.
  std::optional<z3::expr> harm(const Question &Q, Region &R) {
    const Instruction *I = T.Sources[Q.Later];
    const State *Now = R.before(I);
    if (!Now)
      return std::nullopt;
    z3::expr Out = R.reaches(I->getParent()) && follows(*Now, *Q.Earlier);
    const Operation &Op = P.Threads[T.Index].Statements[Q.Later].Op;
    return Out && touches(*I, Op, *Q.Earlier, Stock, *S, R, *Now);
  }

  void isClear(const Question &Q) {
    Known.Clear.insert({Q.Earlier->Call, Q.Later});
    P.Threads[T.Index].Statements[Q.Later].ClearOf.push_back(Known.Names.of(*Q.Earlier));
  }

  void insertWait(const Exit &E) {
    Known.Over.insert({E.Post->Call, E.place()});
    Known.Awaited.insert(E.Post->Call);
    Statement Over;
    Over.Op.Kind = Wait;
    Over.Op.Id = Known.Names.of(*E.Post);
    Over.Op.Counted = true;
    std::vector<Statement> &Statements = P.Threads[T.Index].Statements;
    std::vector<StatementId> Places;
    if (E.Join)
      for (StatementId St = 0; St < T.Sources.size(); ++St)
        if (T.Sources[St] == E.Join &&
            (Statements[St].Op.Kind == Assume || Statements[St].Op.Kind == LocalRmw))
          Places.push_back(St);
    for (auto [At, End] = T.Entries.equal_range(E.Block); At != End && !E.Join; ++At)
      Places.push_back(At->second);
    for (StatementId At : Places) {
      Statement &Begin = Statements[At];
      Over.LoopDepth = Begin.LoopDepth;
      Over.Successors = std::move(Begin.Successors);
      Begin.Successors = {static_cast<StatementId>(Statements.size())};
      Statements.push_back(Over);
    }
  }

  Inventory &Stock;
  Program &P;
  const CountedThread &T;
  const CountedThread &Whole;
  Sharing &Shared;
  Proved &Known;
  Replays &Shown;
  Budget &Cost;
  System *S = nullptr;
  std::vector<Question> Questions;
  std::vector<Exit> Waits;
  bool LeftOpen = false; ///< there were questions that a replay has answered
  std::map<const PostSite *, bool> Below;
};

} // namespace

void addCounts(Inventory &Stock, const std::deque<CountedThread> &Threads, Replays &Shown) {
  std::set<NodeId> Unseen;
  for (const CountedThread &T : Threads)
    if (postsUnseen(T))
      Unseen.insert(T.Home);
  Budget Cost;
  Sharing Shared(Stock, Threads, Cost);
  for (const CountedThread &T : Threads)
    if (T.Counts && !Unseen.count(T.Home)) {
      Proved Known{PostNames(Stock, T, ":c"), {}, {}, {}};
      const std::vector<CountedThread> Parts = partsOf(Stock, T);
      for (const CountedThread &Part : Parts)
        Counter(Stock, Part, T, Shared, Known, Shown, Cost).run();
      Counter(Stock, T, T, Shared, Known, Shown, Cost).run();
    }
}

} // namespace rdma::clang_ir
