#include "analyzer/clang/counts/System.h"
#include "analyzer/clang/counts/WordSteps.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <set>

namespace rdma::clang_ir {

using namespace llvm;

System::System(const CountedThread &T, Cells &Memory, std::vector<QueueFacts> Queues, const Program &Code,
               const std::set<const Instruction *> *Only)
    : T(T), Memory(Memory), Queues(std::move(Queues)), Only(Only), Code(Code) {
  for (const PostSite &P : T.Posts)
    PostOf[P.Call] = &P;
  for (const PollSite &P : T.Polls)
    PollOf[P.Call] = &P;
  for (unsigned Q = 0; Q < this->Queues.size(); ++Q)
    QueueIndex[this->Queues[Q].Queue] = Q;
  for (const PostSite &P : T.Posts) {
    std::vector<unsigned> Some = queuesOf(P);
    bool Known = std::all_of(P.Pairs.begin(), P.Pairs.end(),
                             [&](QueuePairId Pair) { return QueueIndex.count(Code.QueuePairs[Pair].Queue); });
    Followed[&P] = P.Whole && (P.Of.Queue != None ? indexed(*P.Call, P.Of) : Known) && Some.size() == 1 &&
                   this->Queues[Some[0]].Closed;
    OnePair[&P] = P.Pairs.size() == 1 && P.Origins.size() == 1 && Memory.firm(*P.Origins[0]);
  }
  for (unsigned C = 0; C < Memory.all().size(); ++C)
    if (const SharedCounter *Shared = Memory.all()[C].Shared;
        Shared && (Shared->Each || Shared->Grows) && !Shared->Own)
      Heard.emplace(C, Heard.size());
  HasFamilies =
      std::any_of(this->Queues.begin(), this->Queues.end(), [](const QueueFacts &Q) { return Q.Elements; });
  findWaits();
  findBatches();
  findElements();
  findIndices();
  findCuts();
  findVariables();
}

void System::findVariables() {
  for (const Instruction &I : instructions(T.F))
    if (auto *Phi = dyn_cast<PHINode>(&I); Phi && Phi->getType()->isIntegerTy())
      for (const Value *Incoming : Phi->incoming_values())
        if (isa<PHINode>(Incoming))
          Variables.unionSets(Phi, Incoming);
}

const PostSite *System::postAt(const Instruction &I) const {
  auto Found = PostOf.find(&I);
  return Found == PostOf.end() ? nullptr : Found->second;
}

const PollSite *System::pollAt(const Instruction &I) const {
  auto Found = PollOf.find(&I);
  return Found == PollOf.end() ? nullptr : Found->second;
}

void System::findWaits() {
  std::map<const Instruction *, std::set<QueuePairId>> Pairs;
  const std::vector<Statement> &All = Code.Threads[T.Index].Statements;
  for (StatementId St = 0; St < T.Sources.size(); ++St) {
    auto *Call = dyn_cast_or_null<CallBase>(T.Sources[St]);
    const ApiRow *Row = Call && !isa<IntrinsicInst>(Call) ? rowOf(*Call) : nullptr;
    if (Row && (Row->What == Api::WaitQp || Row->What == Api::FlushQp) && isRequest(All[St].Op.Kind))
      Pairs[Call].insert(All[St].Op.Pair);
  }
  for (const auto &[Call, Some] : Pairs) {
    PointerSet Qp = T.Where.resolve(cast<CallBase>(Call)->getArgOperand(0));
    if (Some.size() == 1 && Qp.size() == 1 && Qp[0].Base->named() && Memory.firm(*Qp[0].Base))
      AwaitedAt[Call] = *Some.begin(), LeavesOut |= leftOut(*cast<CallBase>(Call)) != nullptr;
  }
}

bool System::awaits(const Instruction &I, const PostSite &P) const {
  auto Found = AwaitedAt.find(&I);
  return Found != AwaitedAt.end() && P.Of.Queue == None && OnePair.at(&P) && P.Pairs[0] == Found->second;
}

std::vector<unsigned> System::queuesOf(const PostSite &P) const {
  std::vector<unsigned> Some;
  if (auto Found = QueueIndex.find(P.Of.Queue); Found != QueueIndex.end())
    return {Found->second};
  for (QueuePairId Pair : P.Pairs)
    if (auto Found = QueueIndex.find(Code.QueuePairs[Pair].Queue); Found != QueueIndex.end())
      Some.push_back(Found->second);
    else // anywhere
      for (unsigned Q = 0; Q < Queues.size(); ++Q)
        Some.push_back(Q);
  std::sort(Some.begin(), Some.end());
  Some.erase(std::unique(Some.begin(), Some.end()), Some.end());
  return Some;
}

bool System::samePair(const PostSite &A, const PostSite &B) const {
  // Those of an array are followed only where they are the one in focus.
  bool One = A.Of.Queue != None ? A.Of == B.Of : B.Of.Queue == None && OnePair.at(&A) && OnePair.at(&B);
  return follows(A) && follows(B) && One && A.Pairs == B.Pairs;
}

bool System::follows(const PostSite &P) const { return Followed.at(&P); }

bool System::indexed(const CallBase &Call, const Family &Of) const {
  const bool Loaded = isa<LoadInst>(Call.getArgOperand(0));
  PointerSet Array = Loaded ? T.Where.resolve(elementOf(Call, Of)) : PointerSet{};
  return Array.size() == 1 && Memory.firm(*Array[0].Base);
}

bool System::readsShared(const Instruction &I) const {
  return any_of(Memory.all(), [&](const Cell &C) { return C.Shared && C.Shared->Reads.count(&I); });
}

bool System::isCut(const BasicBlock *Block) const {
  return std::find(Cuts.begin(), Cuts.end(), Block) != Cuts.end();
}

/// Loops in which nothing is posted, polled or counted may run any number of times: what they change is
/// forgotten instead (Region.cpp).
void System::findCuts() {
  Cuts.push_back(nullptr);
  auto counts = [&](const Instruction &I) {
    if (PostOf.count(&I) || PollOf.count(&I))
      return true;
    const Value *To = nullptr;
    Type *Stored = nullptr;
    if (readsShared(I) || setsElement(I))
      return true;
    if (auto *Store = dyn_cast<StoreInst>(&I))
      To = Store->getPointerOperand(), Stored = Store->getValueOperand()->getType();
    else if (auto *Modify = dyn_cast<AtomicRMWInst>(&I))
      To = Modify->getPointerOperand(), Stored = Modify->getType();
    const std::optional<WordStep> Step = wordStep(I);
    if (!To && !Step)
      return false;
    const PointerSet Places = T.Where.resolve(Step ? Step->At : To);
    const std::int64_t Size = Step ? Step->Size : Memory.sizeOf(Stored);
    // A wr_id that is an address leads to one of several.
    return Memory.at(Places, Size) >= 0 ||
           (HasIds && Places.size() > 1 && !Memory.touched(Places, Size).empty());
  };
  for (const Loop *L : T.Loops.getLoopsInPreorder())
    for (const BasicBlock *Block : L->blocks())
      if (std::any_of(Block->begin(), Block->end(), counts)) {
        Cuts.push_back(L->getHeader());
        break;
      }
  // A loop over the completions that one poll gave, say: what it sums up is used behind it.
  auto sums = [&](const Loop &L) {
    for (const PHINode &Phi : L.getHeader()->phis())
      for (const User *U : Phi.users())
        if (matters(Phi) && Phi.getType()->isIntegerTy() && !L.contains(cast<Instruction>(U)))
          return true;
    return false;
  };
  for (const Loop *L : T.Loops.getLoopsInPreorder())
    if (L->getParentLoop() && isCut(L->getParentLoop()->getHeader()) && !isCut(L->getHeader()) && sums(*L))
      Cuts.push_back(L->getHeader());
  for (Cut C : Cuts)
    if (C)
      for (const PHINode &Phi : C->phis())
        if (matters(Phi) && (Phi.getType()->isIntegerTy() || Phi.getType()->isPointerTy()))
          Snapped.push_back({&Phi, 0});
  findCounters();
  for (unsigned C : Counters)
    Snapped.push_back({nullptr, C});
}

/// What is read in a counted loop, but not what such a loop has written by others only (a completion's
/// status, say).
void System::findCounters() {
  std::set<unsigned> Read, Kept, Lost;
  const DataLayout &Layout = T.F.getParent()->getDataLayout();
  auto note = [&](const Instruction &I) {
    if (int C = Memory.found(I); C >= 0) {
      Read.insert(C);
      if (!isa<LoadInst>(I))
        Kept.insert(C);
    } else if (auto *Store = dyn_cast<StoreInst>(&I)) {
      int C = Memory.at(T.Where.resolve(Store->getPointerOperand()),
                        Layout.getTypeStoreSize(Store->getValueOperand()->getType()));
      if (C >= 0)
        Kept.insert(C);
    } else if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<AnyMemIntrinsic>(Call)) {
      for (unsigned C : Memory.touchedBy(*Call))
        Lost.insert(C);
    }
  };
  for (const Loop *L : T.Loops)
    for (const BasicBlock *Block : L->blocks())
      for (const Instruction &I : *Block)
        note(I);
  // What a completion leads to is looked at behind the loop that has polled.
  for (const Instruction &I : instructions(T.F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    PointerSet To = Store ? T.Where.resolve(Store->getPointerOperand()) : PointerSet{};
    if (To.size() > 1)
      for (unsigned C : Memory.touched(To, Layout.getTypeStoreSize(Store->getValueOperand()->getType())))
        Read.insert(C);
  }
  for (unsigned C : Read)
    if (!Memory.all()[C].OfRequest && (Kept.count(C) || !Lost.count(C)))
      Counters.insert(C);
  for (unsigned C = 0; C < Memory.all().size(); ++C)
    if (Memory.all()[C].Shared)
      Counters.insert(C);
}

} // namespace rdma::clang_ir
