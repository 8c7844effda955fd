#include "analyzer/clang/counts/Relevant.h"
#include "analyzer/clang/counts/Touched.h"
#include "analyzer/clang/counts/WordSteps.h"

#include <llvm/ADT/BitVector.h>
#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

#include <utility>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Which branches decide whether a block runs, or how often. Ways on which the thread ends, as by abort(), do
/// not count.
class Branches {
public:
  explicit Branches(const Function &F) {
    std::vector<const BasicBlock *> Ends;
    for (const BasicBlock &Block : F) {
      Numbers[&Block] = Numbers.size();
      if (isa<ReturnInst>(Block.getTerminator()))
        Ends.push_back(&Block);
    }
    for (All = !Ends.empty() && Numbers.size() <= MostBlocks; All && !Ends.empty();) {
      const BasicBlock *Block = Ends.back();
      Ends.pop_back();
      if (Returning.insert(Block).second)
        Ends.insert(Ends.end(), pred_begin(Block), pred_end(Block));
    }
    if (All)
      findBehind(F);
  }

  /// Some: these run, and how often. Ways: of these, whether they are on the way.
  bool decides(const BasicBlock &Branch, const std::set<const BasicBlock *> &Some,
               const std::set<const BasicBlock *> &Ways) {
    if (!All)
      return true;
    auto [Known, New] = Between.try_emplace(&Branch);
    if (New)
      Known->second = between(Branch);
    return any_of(Known->second, [&](const BasicBlock *Block) {
      return Some.count(Block) != 0 || (Block != &Branch && Ways.count(Block));
    });
  }

private:
  static constexpr std::size_t MostBlocks = 4'000;

  /// The blocks that every way from a block to the end passes.
  void findBehind(const Function &F) {
    const BitVector Any(Numbers.size(), true);
    for (const BasicBlock *Block : Returning)
      Behind[Block] = Any;
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (const BasicBlock *Block : post_order(&F)) {
        if (!Returning.count(Block))
          continue;
        BitVector Now = Any;
        for (const BasicBlock *Next : successors(Block))
          if (Returning.count(Next))
            Now &= Behind[Next];
        if (isa<ReturnInst>(Block->getTerminator()))
          Now.reset();
        Now.set(Numbers[Block]);
        Changed |= std::exchange(Behind[Block], Now) != Now;
      }
    }
  }

  std::set<const BasicBlock *> between(const BasicBlock &Branch) {
    std::set<const BasicBlock *> Found;
    std::vector<const BasicBlock *> Work;
    auto add = [&](const BasicBlock *Block) {
      for (const BasicBlock *Next : successors(Block))
        if (Returning.count(Next) && (Next == &Branch || !Behind[&Branch].test(Numbers[Next])) &&
            Found.insert(Next).second)
          Work.push_back(Next);
    };
    if (!Returning.count(&Branch))
      return {};
    for (add(&Branch); !Work.empty();) {
      const BasicBlock *Block = Work.back();
      Work.pop_back();
      add(Block);
    }
    return Found;
  }

  bool All = false; ///< are known; else every branch may decide
  std::map<const BasicBlock *, unsigned> Numbers;
  std::set<const BasicBlock *> Returning;
  std::map<const BasicBlock *, BitVector> Behind;
  std::map<const BasicBlock *, std::set<const BasicBlock *>> Between;
};

class Search {
public:
  Search(const CountedThread &T, const Cells &Memory) : T(T), Memory(Memory), Ways(T.F) {}

  Relevant run(const std::set<const BasicBlock *> &Asked) {
    Blocks = Asked;
    for (unsigned C = 0; C < Memory.all().size(); ++C)
      if (isOfRequest(Memory.all()[C]))
        OfRequests.insert(C), fill(C);
      else if (Memory.all()[C].Shared)
        Cells.insert(C);
    for (const PostSite &Post : T.Posts)
      happens(*Post.Call), follow(Post.Call->getArgOperand(0)), followRequests(Post);
    for (const PollSite &Poll : T.Polls)
      happens(*Poll.Call), follow(Poll.Call->getArgOperand(0));
    for (std::size_t Before = 0; Before != Cells.size() + Seen.size() + Blocks.size();) {
      Before = Cells.size() + Seen.size() + Blocks.size();
      for (const BasicBlock &Block : T.F)
        if (Block.getTerminator()->getNumSuccessors() > 1 && Ways.decides(Block, Blocks, Merging))
          decides(*Block.getTerminator());
      for (const Instruction &I : instructions(T.F))
        changes(I);
    }
    followPlaces();
    Cells.insert(OfRequests.begin(), OfRequests.end());
    return {std::move(Cells), std::move(Seen)};
  }

private:
  bool isOfRequest(const Cell &C) const {
    return any_of(T.Posts, [&](const PostSite &Post) {
      return (Post.WorkRequest && Post.WorkRequest->Base == C.Base) ||
             (Post.Segment && Post.Segment->Base == C.Base);
    });
  }

  /// The stores to a field of a request that a post may find there: the same variable is filled for others.
  void fill(unsigned Field) {
    std::vector<const StoreInst *> Stores;
    for (const Instruction &I : instructions(T.F))
      if (auto *Store = dyn_cast<StoreInst>(&I); Store && is_contained(touchedBy(*Store), Field))
        Stores.push_back(Store);
    for (const PostSite &Post : T.Posts) {
      const StoreInst *Last = nullptr;
      for (const StoreInst *Store : Stores)
        if (T.Tree.dominates(Store, Post.Call) && (!Last || T.Tree.dominates(Last, Store)) &&
            Memory.at(T.Where.resolve(Store->getPointerOperand()),
                      Memory.sizeOf(Store->getValueOperand()->getType())) == static_cast<int>(Field))
          Last = Store;
      for (const StoreInst *Store : Stores)
        if (Store == Last || !Last || isFound(*Store, *Last, *Post.Call))
          happens(*Store), follow(Store->getValueOperand());
    }
  }

  /// May the post find what is stored, though there is a later store on every way to it?
  bool isFound(const StoreInst &Store, const StoreInst &Last, const Instruction &Post) const {
    if (Store.getParent() == Last.getParent())
      return Last.comesBefore(&Store);
    if (Last.getParent() == Post.getParent())
      return false;
    SmallPtrSet<BasicBlock *, 1> Without{const_cast<BasicBlock *>(Last.getParent())};
    return isPotentiallyReachable(&Store, &Post, &Without, &T.Tree, &T.Loops);
  }

  std::vector<unsigned> touchedBy(const StoreInst &Store) const {
    return Memory.touched(T.Where.resolve(Store.getPointerOperand()),
                          Memory.sizeOf(Store.getValueOperand()->getType()));
  }

  void followRequests(const PostSite &Post) {
    for (const PostSite::Request &R : Post.Requests)
      for (const Value *V : {R.Flags, R.Id})
        if (V)
          follow(V);
    if (Post.Address)
      follow(Post.Address);
  }

  /// It matters how often this is done.
  void happens(const Instruction &I) { Blocks.insert(I.getParent()); }

  void decides(const Instruction &End) {
    if (auto *Branch = dyn_cast<BranchInst>(&End); Branch && Branch->isConditional())
      follow(Branch->getCondition());
    else if (auto *Switch = dyn_cast<SwitchInst>(&End))
      follow(Switch->getCondition());
  }

  void follow(const Value *First) {
    std::vector<const Value *> Work{First};
    while (!Work.empty()) {
      auto *I = dyn_cast<Instruction>(Work.back());
      Work.pop_back();
      if (!I || !Seen.insert(I).second)
        continue;
      if (int C = Memory.found(*I); C >= 0)
        Cells.insert(C);
      if (auto *Phi = dyn_cast<PHINode>(I); Phi && !Phi->hasConstantValue())
        Merging.insert(Phi->block_begin(), Phi->block_end());
      if (!isa<CallBase>(I) || isa<IntrinsicInst>(I))
        Work.insert(Work.end(), I->value_op_begin(), I->value_op_end());
    }
  }

  bool isRelevant(const std::vector<unsigned> &Some) const {
    return any_of(Some, [&](unsigned C) { return Cells.count(C) != 0; });
  }

  /// What is stored in a cell that matters does, too.
  void changes(const Instruction &I) {
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      if (isRelevant(touchedBy(*Store)))
        happens(I), follow(Store->getValueOperand()), follow(Store->getPointerOperand());
    } else if (auto *Modify = dyn_cast<AtomicRMWInst>(&I)) {
      if (isRelevant(
              Memory.touched(T.Where.resolve(Modify->getPointerOperand()), Memory.sizeOf(Modify->getType()))))
        happens(I), follow(Modify->getValOperand());
    } else if (const std::optional<WordStep> Step = wordStep(I)) {
      if (isRelevant(Memory.touched(T.Where.resolve(Step->At), Step->Size)))
        happens(I), for_each(I.operand_values(), [&](const Value *V) { follow(V); });
    } else if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I)) {
      const std::vector<unsigned> To = Memory.touched(T.Where.resolve(Copy->getRawDest()), Unbounded);
      if (!isRelevant(To) && none_of(To, [&](unsigned C) { return OfRequests.count(C) != 0; }))
        return;
      happens(I);
      for (unsigned C : Memory.touched(T.Where.resolve(Copy->getRawSource()), Unbounded))
        Cells.insert(C);
    }
  }

  /// What tells which bytes are touched of those that requests use is known, too, so far as it is known
  /// however often it changes.
  void followPlaces() {
    std::set<const Origin *> Used;
    for (const PostSite &Post : T.Posts)
      if (Post.Buffer)
        Used.insert(Post.Buffer);
      else if (Post.Address)
        for (const Pointer &P : Post.Address->getType()->isPointerTy() ? T.Where.resolve(Post.Address)
                                                                       : T.Where.resolveAddress(Post.Address))
          Used.insert(P.Base);
    for (const Instruction &I : instructions(T.F)) {
      for (const Value *At : addressesOf(I))
        if (const PointerSet Places = T.Where.resolve(At);
            (Places.size() > 1 || (isa<GEPOperator>(At) && getLoadStorePointerOperand(&I))) &&
            any_of(Places, [&](const Pointer &P) { return Used.count(P.Base) != 0; }))
          follow(At);
    }
    for (std::size_t Before = 0; Before != Cells.size();) {
      Before = Cells.size();
      for (const Instruction &I : instructions(T.F))
        if (auto *Store = dyn_cast<StoreInst>(&I); Store && isRelevant(touchedBy(*Store)))
          follow(Store->getValueOperand());
    }
  }

  const CountedThread &T;
  const clang_ir::Cells &Memory;
  Branches Ways;
  std::set<unsigned> Cells, OfRequests;
  std::set<const BasicBlock *> Blocks, Merging;
  std::set<const Instruction *> Seen;
};

} // namespace

Relevant relevantFor(const CountedThread &Part, const Cells &Memory,
                     const std::set<const BasicBlock *> &Asked) {
  return Search(Part, Memory).run(Asked);
}

} // namespace rdma::clang_ir
