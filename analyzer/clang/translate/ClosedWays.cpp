#include "analyzer/clang/translate/ClosedWays.h"
#include "analyzer/clang/api/Layout.h"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr unsigned MostValues = 6;   ///< of one phi
constexpr std::int64_t Largest = 16; ///< of its values
constexpr unsigned MostCases = 16;

/// The opcodes of completions of the requests that are analysed are below this.
constexpr std::uint64_t WcSends = WcFetchAdd + 1;

/// Is the variable written by these calls only, and read by loads only?
bool isPrivate(const Value &Address, const std::set<const Instruction *> &Writers) {
  return all_of(Address.uses(), [&](const Use &U) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    if (!I)
      return false;
    if (isa<LoadInst>(I) || isa<LifetimeIntrinsic>(I) || isa<DbgInfoIntrinsic>(I))
      return true;
    if (isa<GetElementPtrInst>(I))
      return isPrivate(*I, Writers);
    auto *Call = dyn_cast<CallBase>(I);
    return Call && Writers.count(I) && Call->isArgOperand(&U) && Call->getArgOperandNo(&U) == 2;
  });
}

} // namespace

ClosedWays::ClosedWays(const CountedThread &T, CompletionQueueId Queue, bool Immediate)
    : T(T), Immediate(Immediate) {
  for (const PollSite &P : T.Polls)
    if (P.Queue == Queue) {
      Polls.push_back(&P);
      if (P.AtOnce)
        AtOnce.insert(P.Call);
    }
  findBuffers();
  findPhis();
  findUses();
}

void ClosedWays::findBuffers() {
  std::map<const AllocaInst *, std::set<const Instruction *>> Writers;
  for (const PollSite *P : Polls)
    if (P->Call->arg_size() > 2)
      if (auto *Buffer = dyn_cast<AllocaInst>(P->Call->getArgOperand(2)))
        Writers[Buffer].insert(P->Call);
  const DataLayout &Layout = T.F.getParent()->getDataLayout();
  std::map<const AllocaInst *, Blocks> Asked;
  for (const auto &[Buffer, Calls] : Writers) {
    if (!isPrivate(*Buffer, Calls))
      continue;
    Blocks Written;
    for (const Instruction *Call : Calls)
      Buffers[cast<CallBase>(Call)] = Buffer, Written.insert(Call->getParent());
    for (const Instruction &I : instructions(T.F)) {
      auto *Load = dyn_cast<LoadInst>(&I);
      APInt Offset(64, 0);
      if (!Load || Written.count(Load->getParent()) || !Load->getType()->isIntegerTy(32) ||
          Load->getPointerOperand()->stripAndAccumulateConstantOffsets(Layout, Offset, true) != Buffer ||
          Offset != layout::CompletedOpcode)
        continue;
      Opcodes[Load] = Buffer;
      Asked[Buffer].insert(Load->getParent());
    }
    Wanted[Buffer] = liveIn(Asked[Buffer], Written);
  }
}

/// Integers in the loops around a poll, and where these are left.
void ClosedWays::findPhis() {
  std::set<const BasicBlock *> Around;
  for (const PollSite *P : Polls)
    for (const Loop *L = T.Loops.getLoopFor(P->Call->getParent()); L; L = L->getParentLoop()) {
      Around.insert(L->block_begin(), L->block_end());
      SmallVector<BasicBlock *, 8> Exits;
      L->getExitBlocks(Exits);
      Around.insert(Exits.begin(), Exits.end());
    }
  for (const BasicBlock *Block : Around)
    for (const PHINode &Phi : Block->phis())
      if (Phi.getType()->isIntegerTy() && Phi.getType()->getIntegerBitWidth() <= 64)
        Phis.insert(&Phi);
}

bool ClosedWays::followLess() {
  if (Phis.empty())
    return false;
  Phis.clear();
  findUses();
  return true;
}

/// Where a branch, or another such phi, may still ask for a value.
void ClosedWays::findUses() {
  Live.clear();
  auto note = [&](const Instruction *V) {
    Blocks Uses;
    std::set<const Value *> Done{V};
    std::vector<const Instruction *> Work{V};
    while (!Work.empty()) {
      const Instruction *I = Work.back();
      Work.pop_back();
      for (const Use &U : I->uses()) {
        auto *User = cast<Instruction>(U.getUser());
        if (auto *Phi = dyn_cast<PHINode>(User)) {
          if (Phis.count(Phi))
            Uses.insert(Phi->getIncomingBlock(U));
        } else if (User->isTerminator()) {
          Uses.insert(User->getParent());
        } else if (User->getType()->isIntegerTy() && Done.insert(User).second) {
          Work.push_back(User);
        }
      }
    }
    if (!Uses.empty())
      Live[V] = liveIn(Uses, {V->getParent()});
  };
  for (const PHINode *Phi : Phis)
    note(Phi);
  for (const auto &[Load, Buffer] : Opcodes)
    note(Load);
}

ClosedWays::Blocks ClosedWays::liveIn(const Blocks &Uses, const Blocks &Definitions) const {
  Blocks In;
  std::vector<const BasicBlock *> Work(Uses.begin(), Uses.end());
  while (!Work.empty()) {
    const BasicBlock *Block = Work.back();
    Work.pop_back();
    if (Definitions.count(Block) || !In.insert(Block).second)
      continue;
    for (const BasicBlock *Before : predecessors(Block))
      Work.push_back(Before);
  }
  return In;
}

const AllocaInst *ClosedWays::bufferOf(const CallBase &Poll) const {
  auto Found = Buffers.find(&Poll);
  return Found == Buffers.end() ? nullptr : Found->second;
}

void ClosedWays::forget(Known &K, const CallBase &Poll) const {
  if (K.Buffer && K.Buffer == bufferOf(Poll))
    K.Buffer = nullptr, K.Last = Kind::Unknown;
}

void ClosedWays::take(Known &K, const CallBase &Poll, Kind Taken) const {
  forget(K, Poll);
  if (const AllocaInst *Buffer = bufferOf(Poll); Buffer && AtOnce.count(&Poll))
    K.Buffer = Buffer, K.Last = Taken;
}

bool ClosedWays::enter(Known &K, const BasicBlock *From, const BasicBlock *To) {
  if (From && !open(K, *From->getTerminator(), To))
    return false;
  std::map<const Value *, std::int64_t> Next;
  for (const PHINode &Phi : To->phis()) {
    if (!From || !Phis.count(&Phi) || !Live.count(&Phi))
      continue;
    Some Incoming = values(K, Phi.getIncomingValueForBlock(From), 0);
    if (!Incoming || Incoming->size() != 1)
      continue;
    const std::int64_t Value = Incoming->front().getSExtValue();
    std::set<std::int64_t> &Of = Seen[&Phi];
    Of.insert(Value);
    if (Of.size() > MostValues || Value > Largest || Value < -Largest) {
      Phis.erase(&Phi);
      GaveUp = true;
      findUses();
      return true;
    }
    Next[&Phi] = Value;
  }
  for (const auto &[V, Value] : K.Values)
    if (auto Uses = Live.find(V); Uses != Live.end() && Uses->second.count(To))
      Next.try_emplace(V, Value);
  if (K.Last != Kind::Unknown)
    for (const Instruction &I : *To)
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && Live.count(Load) && Opcodes.count(Load))
        if (Opcodes.at(Load) == K.Buffer)
          Next[Load] = static_cast<std::int64_t>(K.Last);
  K.Values = std::move(Next);
  if (K.Buffer && !Wanted.at(K.Buffer).count(To))
    K.Buffer = nullptr, K.Last = Kind::Unknown;
  return true;
}

bool ClosedWays::open(const Known &K, const Instruction &End, const BasicBlock *To) const {
  const Value *Condition = nullptr;
  if (auto *Branch = dyn_cast<BranchInst>(&End); Branch && Branch->isConditional())
    Condition = Branch->getCondition();
  else if (auto *Switch = dyn_cast<SwitchInst>(&End))
    Condition = Switch->getCondition();
  Some Values = Condition ? values(K, Condition, 0) : std::nullopt;
  return !Values || any_of(*Values, [&](const APInt &V) {
    if (auto *Branch = dyn_cast<BranchInst>(&End))
      return Branch->getSuccessor(V.isZero() ? 1 : 0) == To;
    auto *Switch = cast<SwitchInst>(&End);
    return Switch->findCaseValue(ConstantInt::get(End.getContext(), V))->getCaseSuccessor() == To;
  });
}

namespace {

std::optional<APInt> apply(const BinaryOperator &Step, const APInt &A, const APInt &B) {
  switch (Step.getOpcode()) {
  case Instruction::Add:
    return A + B;
  case Instruction::Sub:
    return A - B;
  case Instruction::And:
    return A & B;
  case Instruction::Or:
    return A | B;
  case Instruction::Xor:
    return A ^ B;
  default:
    return std::nullopt;
  }
}

std::optional<APInt> apply(const CastInst &Cast, const APInt &A) {
  unsigned Bits = Cast.getType()->getIntegerBitWidth();
  switch (Cast.getOpcode()) {
  case Instruction::Trunc:
    return A.trunc(Bits);
  case Instruction::ZExt:
    return A.zext(Bits);
  case Instruction::SExt:
    return A.sext(Bits);
  default:
    return std::nullopt;
  }
}

} // namespace

/// Absent: it may be anything.
ClosedWays::Some ClosedWays::values(const Known &K, const Value *V, unsigned Depth) const {
  if (Depth > 8 || !V->getType()->isIntegerTy())
    return std::nullopt;
  if (auto *Number = dyn_cast<ConstantInt>(V))
    return std::vector{Number->getValue()};
  const unsigned Bits = V->getType()->getIntegerBitWidth();
  if (auto Found = K.Values.find(V); Found != K.Values.end()) {
    if (isa<PHINode>(V))
      return std::vector{APInt(Bits, Found->second, true)};
    if (Found->second == static_cast<std::int64_t>(Kind::Receive))
      return Immediate ? std::vector{APInt(Bits, WcReceive), APInt(Bits, WcReceiveWithImmediate)}
                       : std::vector{APInt(Bits, WcReceive)};
    std::vector<APInt> Sends;
    for (std::uint64_t Opcode = 0; Opcode < WcSends; ++Opcode)
      Sends.push_back(APInt(Bits, Opcode));
    return Sends;
  }
  std::vector<APInt> All;
  auto add = [&](const APInt &A) {
    if (!is_contained(All, A))
      All.push_back(A);
  };
  auto of = [&](const Value *Part) { return values(K, Part, Depth + 1); };
  auto done = [&]() { return All.size() <= MostCases ? Some(All) : std::nullopt; };
  if (auto *Freeze = dyn_cast<FreezeInst>(V))
    return of(Freeze->getOperand(0));
  if (auto *Choice = dyn_cast<SelectInst>(V)) {
    Some When = of(Choice->getCondition());
    for (bool Which : {true, false})
      if (!When || any_of(*When, [&](const APInt &C) { return C.isZero() != Which; })) {
        Some Arm = of(Which ? Choice->getTrueValue() : Choice->getFalseValue());
        if (!Arm)
          return std::nullopt;
        for_each(*Arm, add);
      }
    return done();
  }
  if (auto *Cast = dyn_cast<CastInst>(V)) {
    Some From = of(Cast->getOperand(0));
    for (const APInt &A : From.value_or(std::vector<APInt>{}))
      if (std::optional<APInt> To = apply(*Cast, A))
        add(*To);
      else
        return std::nullopt;
    return From ? done() : std::nullopt;
  }
  auto *Step = dyn_cast<BinaryOperator>(V);
  auto *Compare = dyn_cast<ICmpInst>(V);
  if (!Step && !Compare)
    return std::nullopt;
  auto *I = cast<Instruction>(V);
  Some Left = of(I->getOperand(0)), Right = of(I->getOperand(1));
  if (Step && Bits == 1) // one side may be enough
    for (const Some *Side : {&Left, &Right})
      if (*Side && (*Side)->size() == 1)
        if (bool Set = !(*Side)->front().isZero();
            (Step->getOpcode() == Instruction::And && !Set) || (Step->getOpcode() == Instruction::Or && Set))
          return *Side;
  if (!Left || !Right)
    return std::nullopt;
  for (const APInt &A : *Left)
    for (const APInt &B : *Right)
      if (Compare)
        add(APInt(1, ICmpInst::compare(A, B, Compare->getPredicate())));
      else if (std::optional<APInt> C = apply(*Step, A, B))
        add(*C);
      else
        return std::nullopt;
  return done();
}

bool ClosedWays::onlySums(const PHINode &Phi) const {
  const BasicBlock *Block = Phi.getParent();
  return T.Loops.isLoopHeader(Block) && all_of(Phi.blocks(), [&](const BasicBlock *From) {
           return !T.Loops.getLoopFor(Block)->contains(From) ||
                  onlySums(Phi, Phi.getIncomingValueForBlock(From), 0);
         });
}

bool ClosedWays::tellsAll(const Known &K, const BasicBlock *Block) const {
  return all_of(Block->phis(),
                [&](const PHINode &Phi) { return Phi.use_empty() || K.Values.count(&Phi) || onlySums(Phi); });
}

/// Is V the phi with results of polls added or subtracted, whatever the way?
bool ClosedWays::onlySums(const PHINode &Phi, const Value *V, unsigned Depth) const {
  if (V == &Phi)
    return true;
  if (Depth > 8)
    return false;
  auto result = [&](const Value *Part) {
    while (isa<CastInst>(Part) || isa<FreezeInst>(Part))
      Part = cast<Instruction>(Part)->getOperand(0);
    return any_of(Polls, [&](const PollSite *P) { return P->Call == Part; });
  };
  if (auto *Step = dyn_cast<BinaryOperator>(V)) {
    const Value *A = Step->getOperand(0), *B = Step->getOperand(1);
    if (Step->getOpcode() == Instruction::Sub)
      return result(B) && onlySums(Phi, A, Depth + 1);
    return Step->getOpcode() == Instruction::Add &&
           ((result(B) && onlySums(Phi, A, Depth + 1)) || (result(A) && onlySums(Phi, B, Depth + 1)));
  }
  auto *Merge = dyn_cast<PHINode>(V);
  return Merge && Merge->getParent() != Phi.getParent() &&
         all_of(Merge->incoming_values(), [&](const Value *In) { return onlySums(Phi, In, Depth + 1); });
}

/// Does nothing come of the value but branches inside? Of a phi that is followed: but branches, and other
/// such phis, wherever; what it is there is in Known.
bool ClosedWays::onlyTested(const Instruction &I, bool Followed, const Blocks &Inside, const Blocks &Ended,
                            std::set<const Value *> &Done) const {
  if (!Done.insert(&I).second)
    return true;
  return all_of(I.users(), [&](const User *U) {
    auto *User = cast<Instruction>(U);
    if (Ended.count(User->getParent()))
      return true;
    auto *Phi = dyn_cast<PHINode>(User);
    if (!Inside.count(User->getParent()) && (!Followed || (Phi && !Phis.count(Phi))))
      return false;
    if (isa<BranchInst>(User) || isa<SwitchInst>(User) || Phi) // phis inside are looked at themselves
      return true;
    bool Computes = isa<CastInst>(User) || isa<FreezeInst>(User) || isa<BinaryOperator>(User) ||
                    isa<ICmpInst>(User) || isa<SelectInst>(User);
    return Computes && onlyTested(*User, Followed, Inside, Ended, Done);
  });
}

bool ClosedWays::fills(const CallBase &Poll, const AllocaInst &Buffer) const {
  return bufferOf(Poll) == &Buffer && AtOnce.count(&Poll);
}

bool ClosedWays::leavesTraces(const Blocks &Inside, const Blocks &Ended,
                              function_ref<Blocks(const AllocaInst &)> BeforeNext) const {
  std::map<const AllocaInst *, Blocks> Written; ///< and where it may be found
  std::set<const AllocaInst *> Several;
  std::set<const Value *> Done, Followed;
  for (const PollSite *P : Polls)
    if (Inside.count(P->Call->getParent())) {
      const AllocaInst *Buffer = bufferOf(*P->Call);
      if (!Buffer || !onlyTested(*P->Call, false, Inside, Ended, Done))
        return true;
      Written.try_emplace(Buffer);
      if (!fills(*P->Call, *Buffer)) // more than the next completion overwrites
        Several.insert(Buffer);
    }
  for (auto &[Buffer, Behind] : Written)
    Behind = BeforeNext(*Buffer);
  for (const Instruction &I : instructions(T.F)) {
    const BasicBlock *Block = I.getParent();
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      auto *Buffer = dyn_cast<AllocaInst>(getUnderlyingObject(Load->getPointerOperand()));
      if (Buffer && Written.count(Buffer) && !Ended.count(Block) &&
          (Inside.count(Block) ? !onlyTested(I, false, Inside, Ended, Done)
                               : Several.count(Buffer) || Written.at(Buffer).count(Block)))
        return true;
    }
    auto *Phi = dyn_cast<PHINode>(&I);
    if (Phi && Inside.count(Block) && !onlySums(*Phi) &&
        !onlyTested(*Phi, Phis.count(Phi), Inside, Ended, Followed))
      return true;
  }
  return false;
}

} // namespace rdma::clang_ir
