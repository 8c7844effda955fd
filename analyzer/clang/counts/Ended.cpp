// Requests that end with their queue pair: behind ibv_destroy_qp of the one that they were posted to,
// ibv_modify_qp of it to IBV_QPS_RESET, or rdma_destroy_qp or rdma_destroy_ep of its identifier, nothing of
// them is under way, so what they used may be changed and given back. Whether a READ has delivered before
// that nobody knows, so that its result is not there for certain. Where it is not known which queue pair
// ends, so is what of its requests.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/counts/Counting.h"
#include "analyzer/clang/counts/PostNames.h"
#include "analyzer/clang/counts/SameValue.h"
#include "analyzer/clang/program/RemarkTexts.h"
#include "analyzer/clang/translate/FailedCalls.h"

#include <llvm/ADT/SetOperations.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

using Calls = SmallPtrSet<const Instruction *, 4>;

/// Where ways lead from a post that pass none of the calls that end its queue pair, or one that is seen to
/// have failed. That a queue pair which was posted to is null is no way.
class WaysAround {
public:
  WaysAround(const CountedThread &T, const PostSite &Post, const Calls &Ends)
      : T(T), Post(*Post.Call), Ends(Ends) {
    Tail = stopIn(*this->Post.getParent(), &this->Post);
    if (!Tail)
      leave(*this->Post.getParent());
    for (const Instruction *End : Ends)
      for (const auto &[Block, Way] : waysWhereFailed(*cast<CallBase>(End)))
        enter(Block->getTerminator()->getSuccessor(Way));
    while (!Work.empty()) {
      const BasicBlock *Block = Work.pop_back_val();
      const Instruction *Stop = stopIn(*Block, nullptr);
      Entered[Block] = Stop;
      if (!Stop)
        leave(*Block);
    }
  }

  /// Does one come to the instruction, which ends nothing?
  bool leadTo(const Instruction &I) const {
    auto before = [&](const Instruction *Stop) { return !Stop || I.comesBefore(Stop); };
    if (auto At = Entered.find(I.getParent()); At != Entered.end() && before(At->second))
      return true;
    return I.getParent() == Post.getParent() && Post.comesBefore(&I) && before(Tail);
  }

private:
  /// The first call that ends the queue pair in the block, behind After if that is given.
  const Instruction *stopIn(const BasicBlock &Block, const Instruction *After) const {
    const Instruction *First = nullptr;
    for (const Instruction *End : Ends)
      if (End->getParent() == &Block && (!After || After->comesBefore(End)) &&
          (!First || End->comesBefore(First)))
        First = End;
    return First;
  }

  void leave(const BasicBlock &Block) {
    const BasicBlock *Never = onlyIfNull(Block);
    for (const BasicBlock *Next : successors(&Block))
      if (Next != Never)
        enter(Next);
  }

  void enter(const BasicBlock *Block) {
    if (Seen.insert(Block).second)
      Work.push_back(Block);
  }

  const BasicBlock *onlyIfNull(const BasicBlock &Block) const {
    auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    if (!Test || !Test->isEquality() || !isa<ConstantPointerNull>(Test->getOperand(1)) ||
        Branch->getSuccessor(0) == Branch->getSuccessor(1) ||
        !sameValue(T, Post.getArgOperand(0)->stripPointerCasts(), Test->getOperand(0)->stripPointerCasts()))
      return nullptr;
    return Branch->getSuccessor(Test->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1);
  }

  const CountedThread &T;
  const CallBase &Post;
  const Calls &Ends;
  SmallPtrSet<const BasicBlock *, 16> Seen;
  SmallVector<const BasicBlock *, 16> Work;
  std::map<const BasicBlock *, const Instruction *> Entered; ///< and where the ways through it end
  const Instruction *Tail = nullptr;                         ///< the same behind the post, in its block
};

class Ended {
public:
  Ended(Inventory &Stock, const CountedThread &T) : Stock(Stock), P(Stock.P), T(T) {}

  void run() {
    std::vector<const CallBase *> All;
    for (const Instruction &I : instructions(T.F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && (endsOne(*Call) || resets(*Call)))
        All.push_back(Call);
    for (const PostSite &Post : T.Posts) {
      if (All.empty() || !Post.Call->arg_size())
        continue;
      FoundTwice Apart;
      Calls Ends;
      for (const CallBase *End : All)
        if (FoundTwice Twice; ends(Post, *End, Twice)) {
          if (Ends.empty())
            Apart = Twice;
          else
            set_intersect(Apart, Twice);
          Ends.insert(End);
        }
      bool Known = !Ends.empty();
      if (Known) {
        WaysAround Ways(T, Post, Ends);
        Known = !mayBeAnother(*nameOf(Post), Apart, Ways);
        if (Known)
          clear(Post, Ways);
      }
      for (const CallBase *End : All)
        if (!(Known && Ends.contains(End)) && isUnknown(*End))
          doubt(*End, Post);
    }
  }

private:
  /// Calls whose first argument is a queue pair, or the identifier that has it.
  static bool endsOne(const CallBase &Call) {
    const ApiRow *Row = isa<IntrinsicInst>(Call) ? nullptr : rowOf(Call);
    return Row && endsQueuePair(*Row);
  }
  static bool endsByIdentifier(const ApiRow &Row) {
    return endsQueuePair(Row) && Row.Name.starts_with("rdma_");
  }

  /// ibv_modify_qp(qp, attributes, mask), where it is certain that it asks for IBV_QPS_RESET.
  bool resets(const CallBase &Call) const {
    const ApiRow *Row = isa<IntrinsicInst>(Call) ? nullptr : rowOf(Call);
    if (!Row || Row->Name != "ibv_modify_qp" || Call.arg_size() != 3)
      return false;
    MemoryReader Memory(T.F, T.Where);
    auto all = [](const MemoryReader::Numbers &Found, auto Fits) {
      return Found && !Found->empty() && all_of(*Found, Fits);
    };
    const PointerSet Attributes = T.Where.resolve(Call.getArgOperand(1));
    const Value *Mask = Call.getArgOperand(2);
    const bool IsSet = computeKnownBits(Mask, T.F.getDataLayout()).One[0]; // whatever the other bits are
    static_assert(QpState == 1);
    return Attributes.size() == 1 &&
           (IsSet || all(Memory.constants(Mask), [](std::uint64_t Known) { return Known & QpState; })) &&
           all(Memory.constants(Memory.read(moved(Attributes[0], layout::QpStateAt), 4, &Call)),
               [](std::uint64_t State) { return State == QpsReset; });
  }

  static const Value *nameOf(const PostSite &Post) {
    return Post.Call->getArgOperand(0)->stripPointerCasts();
  }

  /// Calls of librdmacm are given the identifier, where their first argument is one.
  bool ends(const PostSite &Post, const CallBase &End, FoundTwice &Twice) const {
    const Value *Ended = End.getArgOperand(0)->stripPointerCasts();
    const bool ById = rowOf(*Post.Call) && rowOf(*Post.Call)->What == Api::CmPost;
    if (ById != endsByIdentifier(*rowOf(End)))
      return !ById && isFoundAt(T, nameOf(Post), End, layout::CmIdQp, &Twice);
    return sameValue(T, nameOf(Post), Ended, &Twice);
  }

  /// Is nothing known of the queue pair? One that has a name is taken for another than the post's.
  bool isUnknown(const CallBase &End) const {
    PointerSet Ended = T.Where.resolve(End.getArgOperand(0));
    if (endsByIdentifier(*rowOf(End))) {
      PointerSet Ids = std::move(Ended);
      Ended.clear();
      for (const Pointer &Id : Ids)
        Pointers::addAll(Ended, T.Where.whatIsFoundAt(moved(Id, layout::CmIdQp), true));
    }
    return Ended.empty() || any_of(Ended, [](const Pointer &Qp) { return !Qp.Base->named(); });
  }

  /// Requests of the post may be over behind the call.
  void doubt(const CallBase &End, const PostSite &Post) {
    std::vector<Statement> &All = P.Threads[T.Index].Statements;
    for (StatementId S = T.Sources.size(); S-- > 0;)
      if (T.Sources[S] == &End) {
        for (QueuePairId Pair : Post.Pairs) {
          LostFactId Fact =
              Stock.lose({All[S].Where, words::EndLost, words::TellEnd, P.QueuePairs[Pair].Queue});
          if (Marked.insert(Fact).second)
            P.Threads[T.Index].insertBehind(S, {}, All[S].Where), All.back().Lost = Fact;
        }
        return;
      }
  }

  /// May the queue pair that ends be another one, because what names it is computed anew before? What is
  /// found in memory is the same there (sameValue), where it is found is not for certain.
  static bool mayBeAnother(const Value &Qp, const FoundTwice &Apart, const WaysAround &Ways) {
    SmallVector<const Value *, 8> Work{&Qp};
    SmallPtrSet<const Value *, 8> Seen;
    while (!Work.empty()) {
      auto *I = dyn_cast<Instruction>(Work.pop_back_val());
      if (!I || !Seen.insert(I).second)
        continue;
      if (!Apart.contains(I) && Ways.leadTo(*I))
        return true;
      Work.append(I->op_begin(), I->op_end());
    }
    return false;
  }

  /// What the CPU writes behind the end is not what the NIC still reads, or will overwrite.
  void clear(const PostSite &Post, const WaysAround &Ways) {
    std::vector<Statement> &All = P.Threads[T.Index].Statements;
    std::vector<Access> Used;
    bool Fetches = false;
    for (StatementId S = 0; S < T.Sources.size(); ++S)
      if (T.Sources[S] == Post.Call && isRequest(All[S].Op.Kind)) {
        Used.push_back(All[S].Op.Local);
        Fetches |= fetches(All[S].Op.Kind);
      }
    for (StatementId S = 0; S < T.Sources.size(); ++S) {
      const Operation &Op = All[S].Op;
      if (Op.Kind != OperationKind::Store || !T.Sources[S] || Ways.leadTo(*T.Sources[S]))
        continue;
      bool Reads = Op.Value && any_of(*Op.Value, [](const Term &Part) { return !Part.IsConstant; });
      bool Meets = any_of(Used, [&](const Access &A) { return mayOverlap(P, A, Op.Local); });
      if (Meets && !(Fetches && Reads))
        All[S].ClearOf.push_back(Names.of(Post));
    }
  }

  Inventory &Stock;
  Program &P;
  const CountedThread &T;
  PostNames Names{Stock, T, ":e"};
  std::set<LostFactId> Marked;
};

} // namespace

void addEnded(Inventory &Stock, const std::deque<CountedThread> &Threads) {
  for (const CountedThread &T : Threads)
    Ended(Stock, T).run();
}

} // namespace rdma::clang_ir
