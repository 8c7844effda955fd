#include "analyzer/clang/translate/Translator.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/frontend/Spelling.h"
#include "analyzer/clang/prepare/NaturalLoops.h"
#include "analyzer/clang/prepare/UnsetVariables.h"
#include "analyzer/clang/translate/Renewed.h"
#include "analyzer/clang/translate/Tested.h"
#include "analyzer/clang/translate/TestedExchange.h"
#include "analyzer/clang/translate/Understand.h"

#include <llvm/IR/CFG.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

StatementId Translator::statement(Operation Op, const Site &At, unsigned Depth, const Instruction *From) {
  Statement S{std::move(Op), At};
  S.LoopDepth = Depth;
  if (From)
    S.Source = Numbers.try_emplace(From, Numbers.size()).first->second;
  if (auto Doubt = Doubts.find(From);
      Doubt != Doubts.end() && (S.Op.Pair != None || S.Op.Kind == OperationKind::Load))
    S.Lost = Doubt->second;
  thread().Statements.push_back(std::move(S));
  Sources.push_back(From);
  return thread().Statements.size() - 1;
}

void Translator::link(StatementId From, StatementId To) {
  std::vector<StatementId> &Next = thread().Statements[From].Successors;
  if (std::find(Next.begin(), Next.end(), To) == Next.end())
    Next.push_back(To);
}

StatementId Translator::append(StatementId From, const Ways &All, const Instruction &I, unsigned Depth) {
  if (All.empty())
    return From;
  Site At = siteOf(I.getDebugLoc());
  std::vector<StatementId> Ends;
  for (const Way &W : All) {
    StatementId End = From;
    for (const Operation &Op : W) {
      StatementId Next = statement(Op, At, Depth, &I);
      link(End, Next);
      End = Next;
    }
    Ends.push_back(End);
  }
  if (Ends.size() == 1)
    return Ends[0];
  StatementId Join = statement({}, {}, Depth);
  for (StatementId End : Ends)
    link(End, Join);
  return Join;
}

void Translator::emit(const Ways &All, const Instruction &I) {
  Current = append(Current, All, I, Loops.getLoopDepth(I.getParent()));
}

void Translator::onEdge(const BasicBlock *Block, unsigned Successor, Ways All, const Instruction &I) {
  OnEdges[{Block, Successor}].push_back({std::move(All), &I});
}

void Translator::remark(const Instruction &I, const Said &Text, bool Covered, std::vector<ObjectId> On) {
  Log.add(siteOf(I.getDebugLoc()), Text, Covered, std::move(On));
}

void Translator::lookAtLoops() {
  if (!hasOnlyNaturalLoops(In.F, Loops))
    Log.add(siteOf(In.F), {words::ComputedGotos, In.F.getName()}, false);
}

void Translator::run() {
  Thread &T = thread();
  lookAtLoops();
  EndsUnwinding = any_of(instructions(In.F), [this](const Instruction &I) {
    auto *Call = dyn_cast<InvokeInst>(&I);
    const ApiRow *Row = Call ? meaning(*Call) : nullptr;
    return Row && Row->What == Api::EndThread;
  });
  T.Entry = statement({}, {}, 0);
  for (const BasicBlock &Block : In.F)
    Entries[&Block] = statement({}, {}, Loops.getLoopDepth(&Block));
  StatementId Begin = T.Entry;
  if (In.Started != None)
    Begin = append(Begin, {{heard(In.Started)}}, *In.Start, 0);
  link(Begin, Entries[&In.F.getEntryBlock()]);
  findPolls();
  findUnseenWaits();
  findLastOwners();
  findThrows();
  findPairs();
  findBuilders();
  findRanges();
  findLeftLoops();
  findAbsent();
  for (const BasicBlock &Block : In.F) {
    Current = Entries[&Block];
    for (const Instruction &I : Block)
      translate(I);
    finishBlock(Block);
  }
  matchQueues();
}

void Translator::findPolls() {
  for (const Instruction &I : instructions(In.F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call ? meaning(*Call) : nullptr;
    if (!Row || !polls(Row->What))
      continue;
    poll(*Call); // whatever comes of it, its queue is one that is used
    findWaysPast(*Call);
    if (Row->What == Api::StartPoll) {
      placeStartedPoll(Call, Tree, Polls);
      continue;
    }
    std::uint64_t Most = 1;
    if (Row->What == Api::PollCq)
      Most = single(Memory.constants(Call->getArgOperand(1))).value_or(0);
    CountedAtExits[Call] = placePolls(Call, Most, Row->What != Api::PollCq, Tree, Loops, Polls);
  }
}

void Translator::finishBlock(const BasicBlock &Block) {
  const Instruction *End = Block.getTerminator();
  if (isa<UnreachableInst>(End) || (isa<ResumeInst>(End) && !EndsUnwinding))
    Stock.DeadEnds[In.Index].insert(Current);
  else if (isa<ReturnInst>(End) || isa<ResumeInst>(End)) {
    endOfDynamic(*End, nullptr);
    destroy(*End, isMain(In.F));
    say(In.Ended, *End);
  }
  for (unsigned I = 0; I < End->getNumSuccessors(); ++I) {
    const BasicBlock *Next = End->getSuccessor(I);
    StatementId Last = Current;
    unsigned Depth = Loops.getLoopDepth(Next);
    for (const EdgeStatement &S : OnEdges[{&Block, I}]) {
      Last = append(Last, S.All, *S.From, Depth);
      for (JoinSite &Join : Joined)
        if (Join.Place == S.From && (Join.Successor < 0 ? Join.At == None : Join.Successor == int(I)))
          Join.At = Last;
    }
    for (const PollsOnEdge &P : Polls[{&Block, I}]) {
      Operation Op;
      Op.Kind = Poll;
      Op.Count = P.Count;
      Op.Queue = poll(*P.Call);
      if (Op.Queue != None)
        Last = append(Last, {{Op}}, *P.Call, Depth);
    }
    for (LostFactId Fact : OnlyPerhaps[{&Block, I}])
      Last = mark(Last, Fact, Depth);
    for (const CallBase *Ended : EndOfBlock[&Block])
      Last = append(Last, endOfLife(Ended->getArgOperand(1)), *Ended, Depth);
    link(Last, Entries[Next]);
  }
}

void Translator::fence(const Instruction &I) {
  Operation Op;
  Op.Kind = MemoryFence;
  emit(Op, I);
}

void Translator::translate(const Instruction &I) {
  Here = &I;
  Meaning What = Understand().visit(const_cast<Instruction &>(I));
  if (What == Meaning::Nothing)
    return;
  if (What == Meaning::Unknown)
    return unknown(I);
  if (auto *Load = dyn_cast<LoadInst>(&I))
    return load(*Load);
  if (auto *Store = dyn_cast<StoreInst>(&I))
    return store(*Store);
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return compareExchange(*Exchange);
  if (auto *Modify = dyn_cast<AtomicRMWInst>(&I))
    return readModifyWrite(*Modify);
  if (auto *Fence = dyn_cast<FenceInst>(&I)) {
    if (Fence->getOrdering() == AtomicOrdering::SequentiallyConsistent &&
        Fence->getSyncScopeID() == SyncScope::System)
      fence(I);
    return;
  }
  if (auto *Call = dyn_cast<CallBase>(&I))
    return call(*Call);
  unknown(I);
}

Access Translator::access(const Pointer &At, std::int64_t Size) {
  ObjectId O = Stock.object(In.Home, *At.Base);
  bool Somewhere = At.Base->named() && !At.exact();
  if (At.High == Unbounded || Size == Unbounded || !At.Base->named())
    return {O, Access{}.Begin, Access{}.End, Somewhere};
  return {O, At.Low, At.High + Size, Somewhere};
}

/// Without what is a library's own.
PointerSet Translator::places(const Value *Pointer) {
  PointerSet All = Where.resolve(Pointer);
  erase_if(All, [](const clang_ir::Pointer &At) { return At.Base->What == Origin::Kind::Foreign; });
  return All;
}

std::vector<Access> Translator::accesses(const Value *Pointer, std::int64_t Size) {
  std::vector<Access> All;
  for (const clang_ir::Pointer &At : places(Pointer))
    All.push_back(access(At, Size));
  return All;
}

/// What the pointer, or an address, may lead to, where that was read from memory: as memory is followed, on
/// some way something else may be there. Not what is chosen by the way through the function. Places: all
/// that it may lead to.
Translator::FromMemory Translator::readFromMemory(const Value *Pointer, const PointerSet &Places) {
  auto resolve = [this](const Value *V) {
    return V->getType()->isPointerTy() ? Where.resolve(V) : Where.resolveAddress(V);
  };
  auto isAny = [](const clang_ir::Pointer &P) { return P.Base->What == Origin::Kind::Unknown; };
  FromMemory All;
  std::set<const Origin *> Chosen;
  bool Anything = false;
  std::set<FollowedFrom> Seen;
  std::vector<FollowedFrom> Work{{Pointer, nullptr}};
  while (!Work.empty()) {
    const Value *V = Work.back().first->stripInBoundsOffsets();
    const PHINode *Earlier = Work.back().second;
    Work.pop_back();
    if (!Seen.insert({V, Earlier}).second)
      continue;
    auto add = [&](const Value *Next) { Work.emplace_back(Next, Earlier); };
    if (auto *Step = dyn_cast<GEPOperator>(V))
      add(Step->getPointerOperand());
    else if (auto *Address = dyn_cast<PtrToIntOperator>(V))
      add(Address->getPointerOperand());
    else if (auto *Choice = dyn_cast<SelectInst>(V))
      add(Choice->getTrueValue()), add(Choice->getFalseValue());
    else if (auto *Joined = dyn_cast<PHINode>(V)) {
      for (const Use &Arm : Joined->incoming_values())
        Work.emplace_back(Arm, !Earlier && Tree.dominates(Joined, Arm) ? Joined : Earlier);
    } else if (auto *Sum = dyn_cast<BinaryOperator>(V))
      for_each(Sum->operand_values(), add);
    else {
      const PointerSet Found = resolve(V);
      const bool One = Found.size() == 1;
      Anything |= One && isAny(Found[0]);
      for (const clang_ir::Pointer &P : Found)
        if (One)
          Chosen.insert(P.Base);
        else
          All.OneOf.emplace(P.Base, Followed.try_emplace({V, Earlier}, Followed.size()).first->second);
    }
  }
  if (Anything && any_of(Places, isAny))
    for (const clang_ir::Pointer &P : Places)
      if (P.Base->named() && !Chosen.contains(P.Base) && !All.OneOf.contains(P.Base))
        All.Anyway.insert(P.Base);
  return All;
}

bool Translator::isUnshown(const Value *Pointer) {
  return Here && Fresh.isFresh(Pointer, *Here, [this](const CallBase &Call) {
    const ApiRow *Row = meaning(Call);
    return Row && Row->What == Api::Allocate;
  });
}

Ways Translator::each(OperationKind Kind, const Value *Pointer, std::int64_t Size,
                      std::optional<Expression> Value) {
  return each(Kind, Pointer, [Size](const clang_ir::Pointer &) { return Size; }, std::move(Value));
}

Ways Translator::each(OperationKind Kind, const Value *Pointer, SizeAt Size,
                      std::optional<Expression> Value) {
  Ways All;
  const PointerSet Places = places(Pointer);
  const FromMemory From = readFromMemory(Pointer, Places);
  for (const clang_ir::Pointer &At : Places) {
    if (From.Anyway.contains(At.Base))
      continue;
    Operation Op;
    Op.Kind = Kind;
    Op.Local = access(At, Size(At));
    Op.Value = Value;
    Op.OneOf = From.numberOf(At.Base);
    Op.Unshown = (Kind == OperationKind::Load || Kind == OperationKind::Store) && isUnshown(Pointer);
    All.push_back({Op});
  }
  return All;
}

bool Translator::quietUntilEnd(const Instruction &I, bool ButWaits) {
  auto isPassed = [&](const Instruction &Next) {
    auto *Call = dyn_cast<CallBase>(&Next);
    const ApiRow *Row = ButWaits && Call ? meaning(*Call) : nullptr;
    return Row && (Row->What == Api::WaitQp || Row->What == Api::FlushQp);
  };
  for (const Instruction *Next = I.getNextNode(); Next && !Next->isTerminator(); Next = Next->getNextNode())
    if (Next->mayReadOrWriteMemory() && !isa<DbgInfoIntrinsic>(Next) && !isa<LifetimeIntrinsic>(Next) &&
        !isPassed(*Next))
      return false;
  return !isa<CallBase>(I.getParent()->getTerminator());
}

namespace {

std::optional<Expression> constantOf(const Value *V) {
  auto *Number = dyn_cast<ConstantInt>(V);
  if (!Number || Number->getBitWidth() > 64)
    return std::nullopt;
  Term T;
  T.Constant = Number->getSExtValue();
  return Expression{T};
}

} // namespace

void Translator::load(const LoadInst &Load) {
  if (findsAnything(Load))
    return;
  std::int64_t Size = In.F.getParent()->getDataLayout().getTypeStoreSize(Load.getType());
  Ways All = each(OperationKind::Load, Load.getPointerOperand(), Size);
  const auto End = testedNumberAtEnd(*Load.getParent());
  const bool Tested = End && End->What == &Load && End->With->getBitWidth() <= 64;
  const bool AtEnd = All.size() == 1 && quietUntilEnd(Load);
  if (!AtEnd || !Tested) {
    doubtAwaited(Load);
    return AtEnd ? renewedOr(All, Load) : emit(All, Load);
  }
  for (unsigned I = 0; I < 2; ++I) {
    Operation Op = All[0][0];
    Op.Kind = Assume;
    Op.Constant = End->With->getSExtValue();
    Op.Negated = I != End->OnEqual;
    onEdge(Load.getParent(), I, {{Op}}, Load);
  }
}

/// It may be waited for what is another number each time.
void Translator::renewedOr(Ways All, const LoadInst &Load) {
  const std::optional<Renewal> Found = renewalAtEnd(Load, Loops, Tree);
  if (!Found)
    return emit(All, Load);
  onEdge(Load.getParent(), 1 - Found->OnEqual, All, Load);
  Operation &Op = All[0][0];
  Op.Renewed = RenewedWords++;
  Op.RenewedFrom = Found->First;
  onEdge(Load.getParent(), Found->OnEqual, All, Load);
}

void Translator::store(const StoreInst &Store) {
  const Value *Stored = Store.getValueOperand();
  bool Open = false;
  if (isLibraryVariable(Store.getPointerOperand()->stripPointerCasts()))
    for (const Function *F : Where.functionsIn(Stored, Open)) {
      Behaviour Does = behaviourOf(*F);
      if (Does.Unknown || goesElsewhere(Does) || !Does.Globals.empty())
        remark(Store, {words::InLibraryVariable, spellFunction(*F)}, false);
    }
  std::int64_t Size = In.F.getParent()->getDataLayout().getTypeStoreSize(Stored->getType());
  if (Stored->getType()->isPointerTy())
    noteReplaced(Store, Store.getPointerOperand(), Size);
  emit(each(OperationKind::Store, Store.getPointerOperand(), Size, constantOf(Stored)), Store);
  // x86 drains the store buffer after such a store.
  if (Store.getOrdering() == AtomicOrdering::SequentiallyConsistent) {
    Operation Op;
    Op.Kind = MemoryFence;
    emit(Op, Store);
  }
}

void Translator::compareExchange(const AtomicCmpXchgInst &Exchange) {
  std::int64_t Size =
      In.F.getParent()->getDataLayout().getTypeStoreSize(Exchange.getNewValOperand()->getType());
  Ways All = each(LocalCas, Exchange.getPointerOperand(), Size, constantOf(Exchange.getCompareOperand()));
  for (Way &W : All)
    W[0].Desired = constantOf(Exchange.getNewValOperand());
  auto *Success = dyn_cast_or_null<ExtractValueInst>(testedAtEnd(*Exchange.getParent()));
  if (!Success || Success->getAggregateOperand() != &Exchange || !quietUntilEnd(Exchange))
    return emit(All, Exchange);
  eitherWay(std::move(All), 0, Exchange);
}

/// What it finds is tested at the end of its block.
void Translator::eitherWay(Ways All, unsigned OnSuccess, const Instruction &I) {
  for (unsigned Successor = 0; Successor < 2; ++Successor) {
    for (Way &W : All)
      W[0].Success = Successor == OnSuccess ? Operation::Outcome::Succeeds : Operation::Outcome::Fails;
    onEdge(I.getParent(), Successor, All, I);
  }
}

void Translator::readModifyWrite(const AtomicRMWInst &Modify) {
  std::int64_t Size = In.F.getParent()->getDataLayout().getTypeStoreSize(Modify.getType());
  bool Sets = Modify.getOperation() == AtomicRMWInst::Xchg;
  Ways All = each(LocalRmw, Modify.getPointerOperand(), Size,
                  Sets ? constantOf(Modify.getValOperand()) : std::nullopt);
  const auto Tested = testedExchange(Modify);
  if (!Tested || !quietUntilEnd(Modify))
    return emit(All, Modify);
  eitherWay(std::move(All), Tested->OnEqual, Modify);
}

} // namespace rdma::clang_ir
