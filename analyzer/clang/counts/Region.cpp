#include "analyzer/clang/counts/Region.h"
#include "analyzer/clang/api/Declared.h"

#include <llvm/ADT/PostOrderIterator.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/ConstantRange.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>

namespace rdma::clang_ir {

using namespace llvm;

Region::Region(System &S, System::Cut Start) : S(S), Start(Start), Assumed(S.Context) {}

void Region::encode() {
  for (unsigned I = 0; I < S.width(); ++I)
    Begin.push_back(fresh("s"));
  for (unsigned Q = 0; Q < S.Queues.size(); ++Q)
    Assumed.push_back(Begin[S.out(Q)] >= 0 && Begin[S.taken(Q)] >= 0 &&
                      Begin[S.out(Q)] + Begin[S.taken(Q)] < powerOfTwo(S.Context, 62));
  Assumed.push_back(Begin[S.outId()] >= 0);
  Assumed.push_back(Begin[S.pending()] >= 0 && Begin[S.pending()] <= 1);
  Assumed.push_back(z3::implies(Begin[S.pending()] == 1,
                                Begin[S.left()] >= 1 && Begin[S.length()] >= 0 && Begin[S.calls()] >= 0));
  if (S.HasIds)
    Assumed.push_back(z3::implies(Begin[S.pending()] == 1, Begin[S.leftId()] >= 1));
  // One that no request carries need not be chosen.
  if (std::optional<z3::expr> Carried = S.HasIds ? amongAddresses(Begin[S.id()]) : std::nullopt)
    Assumed.push_back(*Carried);
  // What counts as an integer of its type is one, also what it was at the post: else a distance of counters
  // that wrap would mean nothing.
  auto isCounter = [](const Cell &C) { return !C.Shared && !C.OfRequest && C.Size <= 8; };
  for (unsigned C = 0; C < S.Memory.all().size(); ++C)
    if (const Cell &Kept = S.Memory.all()[C]; isCounter(Kept))
      Assumed.push_back(fits(Begin[S.cell(C)], Kept.Size * 8));
  for (unsigned N = 0; N < S.Snapped.size(); ++N) {
    auto [Phi, C] = S.Snapped[N];
    if (Phi && Phi->getType()->isIntegerTy() && Phi->getType()->getIntegerBitWidth() <= 64)
      Assumed.push_back(fits(Begin[S.then(N)], Phi->getType()->getIntegerBitWidth()));
    else if (!Phi && isCounter(S.Memory.all()[C]))
      Assumed.push_back(fits(Begin[S.then(N)], S.Memory.all()[C].Size * 8));
  }
  findBlocks();
  for (const BasicBlock *Block : Order) {
    merge(Block);
    State Now = In.at(Block);
    for (const Instruction &I : *Block) {
      if (Watched && Watched->count(&I))
        At.emplace(&I, Now);
      step(I, Now);
    }
    After.emplace(Block, Now);
    for (unsigned E = 0; E < Block->getTerminator()->getNumSuccessors(); ++E)
      if (const BasicBlock *Next = Block->getTerminator()->getSuccessor(E); S.isCut(Next))
        Exits.push_back({Next, Block, edge(Block, E)});
  }
}

const State *Region::before(const Instruction *I) const {
  auto Found = At.find(I);
  return Found == At.end() ? nullptr : &Found->second;
}

void Region::findBlocks() {
  const BasicBlock *First = Start ? Start : &S.T.F.getEntryBlock();
  std::vector<const BasicBlock *> Work{First};
  Members.insert(First);
  while (!Work.empty()) {
    const BasicBlock *Block = Work.back();
    Work.pop_back();
    for (const BasicBlock *Next : successors(Block))
      if (!S.isCut(Next) && Members.insert(Next).second)
        Work.push_back(Next);
  }
  ReversePostOrderTraversal<const Function *> All(&S.T.F);
  std::map<const BasicBlock *, unsigned> Position;
  for (const BasicBlock *Block : All) {
    Position[Block] = Position.size();
    if (Members.count(Block))
      Order.push_back(Block);
  }
  // Around a loop that is not cut nothing comes back: its header stands for every round.
  for (const BasicBlock *Block : Order)
    for (const BasicBlock *Next : successors(Block))
      if (Members.count(Next) && Position[Next] <= Position[Block] && !S.T.Tree.dominates(Next, Block))
        Acyclic = false;
}

z3::expr Region::edge(const BasicBlock *From, unsigned Successor) {
  const z3::expr &Here = Reach.at(From);
  const Instruction *End = From->getTerminator();
  if (auto *Branch = dyn_cast<BranchInst>(End); Branch && Branch->isConditional()) {
    if (Branch->getSuccessor(0) == Branch->getSuccessor(1))
      return Here;
    z3::expr Yes = condition(Branch->getCondition());
    return Here && (Successor == 0 ? Yes : !Yes);
  }
  if (auto *Switch = dyn_cast<SwitchInst>(End); Switch && !S.isAddress(*Switch->getCondition())) {
    z3::expr V = value(Switch->getCondition());
    z3::expr_vector Some(S.Context);
    bool Default = Switch->getSuccessor(Successor) == Switch->getDefaultDest();
    for (auto Case : Switch->cases())
      if (Default ? Case.getCaseSuccessor() != Switch->getDefaultDest()
                  : Case.getCaseSuccessor() == Switch->getSuccessor(Successor))
        Some.push_back(V == number(Case.getCaseValue()->getSExtValue()));
    return Here && (Default ? !z3::mk_or(Some) : z3::mk_or(Some));
  }
  if (End->getNumSuccessors() < 2)
    return Here;
  // Which way an exception or a computed goto takes is not known; it is one of them.
  auto Way = Chosen.find(From);
  if (Way == Chosen.end())
    Way = Chosen.emplace(From, fresh("w")).first;
  return Here && Way->second == static_cast<int>(Successor);
}

void Region::merge(const BasicBlock *Block) {
  if (Block == (Start ? Start : &S.T.F.getEntryBlock())) {
    Reach.emplace(Block, S.Context.bool_val(true));
    In.emplace(Block, Begin);
    return;
  }
  z3::expr_vector Ways(S.Context);
  std::optional<State> Now;
  for (const BasicBlock *From : predecessors(Block)) {
    if (!After.count(From)) // not in the region, or around a loop that is not cut
      continue;
    z3::expr Here = S.Context.bool_val(false);
    for (unsigned E = 0; E < From->getTerminator()->getNumSuccessors(); ++E)
      if (From->getTerminator()->getSuccessor(E) == Block)
        Here = Here || edge(From, E);
    Ways.push_back(Here);
    const State &Theirs = After.at(From);
    if (!Now) {
      Now = Theirs;
      continue;
    }
    for (unsigned I = 0; I < Now->size(); ++I)
      if (!z3::eq((*Now)[I], Theirs[I]))
        (*Now)[I] = z3::ite(Here, Theirs[I], (*Now)[I]);
  }
  if (!Now) {
    Acyclic = false;
    Now = Begin;
  }
  // A name of its own keeps the formulas flat.
  z3::expr Name = S.Context.bool_const(("b" + std::to_string(Fresh++)).c_str());
  Assumed.push_back(Name == z3::mk_or(Ways));
  Reach.emplace(Block, Name);
  for (z3::expr &V : *Now)
    if (V.is_app() && V.decl().decl_kind() == Z3_OP_ITE) {
      z3::expr Short = fresh("m");
      Assumed.push_back(Short == V);
      V = Short;
    }
  if (const Loop *L = S.T.Loops.getLoopFor(Block); L && L->getHeader() == Block)
    forget(Block, *Now);
  In.emplace(Block, std::move(*Now));
}

/// How many bytes a store or an atomic operation writes.
static std::int64_t written(const Instruction &I) {
  auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
  auto *Store = dyn_cast<StoreInst>(&I);
  Type *Stored = Exchange ? Exchange->getNewValOperand()->getType()
                 : Store  ? Store->getValueOperand()->getType()
                          : I.getType();
  return I.getDataLayout().getTypeStoreSize(Stored);
}

/// The header of a loop that is not cut: what the loop writes may be anything.
void Region::forget(const BasicBlock *Header, State &Now) {
  for (const BasicBlock *Block : S.T.Loops.getLoopFor(Header)->blocks())
    for (const Instruction &I : *Block)
      if (I.mayWriteToMemory()) {
        if (auto *Move = dyn_cast<AnyMemIntrinsic>(&I))
          write(Move->getRawDest(), Unbounded, nullptr, Now);
        else if (auto *Call = dyn_cast<CallBase>(&I))
          clobber(*Call, Now);
        else if (isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(I))
          write(I.getOperand(isa<StoreInst>(I) ? 1 : 0), written(I), nullptr, Now);
      }
}

/// Is it, as a formula, the distance of an address in its block?
bool Region::isDistance(const Value *V) {
  if (V->getType()->isPointerTy() || isa<PtrToIntOperator>(V))
    return true;
  auto *Op = dyn_cast<BinaryOperator>(V);
  return Op && Op->getOpcode() == Instruction::Add &&
         ((isDistance(Op->getOperand(0)) && !holdsAddress(Op->getOperand(1))) ||
          (isDistance(Op->getOperand(1)) && !holdsAddress(Op->getOperand(0))));
}

/// That distance. A constant is one wherever it stands, and is asked for its block here only.
z3::expr Region::distance(const Value &Address) {
  PointerSet At = S.T.Where.resolveAddress(&Address);
  if (At.size() == 1 && At[0].exact() && At[0].Base->named())
    return number(At[0].Low);
  auto *Sum = dyn_cast<BinaryOperator>(&Address);
  if (Sum && isDistance(Sum) && Members.count(Sum->getParent()))
    for (unsigned I : {0u, 1u})
      if (isa<Constant>(Sum->getOperand(I)) && isDistance(Sum->getOperand(I)))
        return wrap(distance(*Sum->getOperand(I)) + value(Sum->getOperand(1 - I)), 64);
  return value(&Address);
}

/// Is it computed from a pointer? As a formula it is the distance in its block then.
bool Region::holdsAddress(const Value *V) {
  if (isa<PtrToIntOperator>(V))
    return true;
  auto *Op = dyn_cast<BinaryOperator>(V);
  return Op && (holdsAddress(Op->getOperand(0)) || holdsAddress(Op->getOperand(1)));
}

/// Is the cell an element of an array, of which a write changes one?
bool Region::isElement(const Cell &C, const PointerSet &Places, std::int64_t Size) {
  return Places.size() == 1 && Places[0].Base == C.Base && !Places[0].exact() &&
         Places[0].Strides.size() == 1 && Places[0].Strides[0] >= Size && Size == C.Size &&
         (Places[0].Zeroed - C.Low) % Places[0].Strides[0] == 0;
}

void Region::write(const Value *To, std::int64_t Size, const z3::expr *Stored, State &Now) {
  PointerSet Places = S.T.Where.resolve(To);
  int Exact = Stored ? S.Memory.at(Places, Size) : -1;
  std::optional<z3::expr> Address;
  if (Exact < 0 && Stored && all_of(Places, [](const Pointer &P) { return P.Base->named(); }))
    Address = address(To, nullptr);
  for (unsigned C : S.Memory.touched(Places, Size)) {
    const Cell &Into = S.Memory.all()[C];
    z3::expr Left =
        Stored && Size == Into.Size ? *Stored : fresh(IntegerType::get(S.T.F.getContext(), Into.Size * 8));
    if (static_cast<int>(C) == Exact)
      Now[S.cell(C)] = Left;
    else if (isElement(Into, Places, Size))
      Now[S.cell(C)] = z3::ite(indexIn(To, Into.Low, Places[0].Strides[0]) == 0, Left, Now[S.cell(C)]);
    else if (Address && Size != Unbounded)
      Now[S.cell(C)] = reached(Into, *Address, Size, Left, Now[S.cell(C)]);
    else
      Now[S.cell(C)] = fresh(IntegerType::get(S.T.F.getContext(), Into.Size * 8));
  }
  writeArrays(To, Size, Stored, Now);
}

void Region::copy(const AnyMemTransferInst &Copy, State &Now) {
  PointerSet To = S.T.Where.resolve(Copy.getRawDest()), From = S.T.Where.resolve(Copy.getRawSource());
  auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  std::int64_t Size = Length ? Length->getZExtValue() : Unbounded;
  State Old = Now;
  writeArrays(Copy.getRawDest(), Size, nullptr, Now);
  for (unsigned C : S.Memory.touched(To, Size)) {
    const Cell &Into = S.Memory.all()[C];
    Now[S.cell(C)] = fresh(IntegerType::get(S.T.F.getContext(), Into.Size * 8));
    if (!Length || To.size() != 1 || From.size() != 1 || !To[0].exact() || !From[0].exact() ||
        Into.Low < To[0].Low || Into.Low + Into.Size > To[0].Low + Size)
      continue;
    Pointer Source = From[0];
    Source.shift(Into.Low - To[0].Low, Into.Low - To[0].Low);
    if (int Found = S.Memory.at({Source}, Into.Size);
        Found >= 0 && S.Memory.all()[Found].OfRequest == Into.OfRequest)
      Now[S.cell(C)] = Old[S.cell(Found)];
  }
}

void Region::modify(const AtomicRMWInst &Modify, State &Now) {
  std::int64_t Size = S.T.F.getParent()->getDataLayout().getTypeStoreSize(Modify.getType());
  int C = S.Memory.at(S.T.Where.resolve(Modify.getPointerOperand()), Size);
  const SharedCounter *Shared = C >= 0 ? S.Memory.all()[C].Shared : nullptr;
  const bool Reads = Shared && Shared->Reads.count(&Modify);
  if (Reads)
    Values.insert_or_assign(&Modify, readShared(Modify, C, Now));
  else if (C >= 0 && !Shared)
    Values.insert_or_assign(&Modify, Now[S.cell(C)]);
  if (Shared && Shared->Own && Shared->Stored) {
    Now[S.cell(C)] = Now[S.cell(C)] + 1;
    return;
  }
  bool Adds = Modify.getOperation() == AtomicRMWInst::Add, Subs = Modify.getOperation() == AtomicRMWInst::Sub;
  std::optional<z3::expr> Stored;
  if (Shared && Shared->Stored && !Reads) { // what it has found there is not known
  } else if (C >= 0 && (Adds || Subs)) {
    z3::expr By = value(Modify.getValOperand());
    Stored = Adds ? Now[S.cell(C)] + By : Now[S.cell(C)] - By;
    if (!Shared || Shared->Stored) // else this is a part; the whole wraps
      Stored = wrap(*Stored, Modify.getType()->getIntegerBitWidth());
  } else if (C >= 0 && (!Shared || Shared->Stored) && Modify.getOperation() == AtomicRMWInst::Xchg) {
    Stored = value(Modify.getValOperand());
  }
  write(Modify.getPointerOperand(), Size, Stored ? &*Stored : nullptr, Now);
}

/// Until now others may have taken more; what they have added is no more than that. Of what they store: it is
/// what the thread has last seen there, or one more store of theirs, for each comes but once to be seen anew.
z3::expr Region::readShared(const Instruction &I, unsigned Cell, State &Now) {
  const SharedCounter &Counter = *S.Memory.all()[Cell].Shared;
  const unsigned Bits = Counter.Size * 8;
  if (Counter.Own)
    return fresh(IntegerType::get(S.T.F.getContext(), Bits));
  for (unsigned Q = 0; Q < S.Queues.size(); ++Q)
    if (S.Queues[Q].Queue == Counter.Queue) {
      z3::expr More = fresh("n"), Theirs = fresh("n");
      Assumed.push_back(More >= 0 && More <= z3::ite(Now[S.out(Q)] > 0, Now[S.out(Q)], number(0)));
      take(Now, Q, More);
      if (Counter.Stored) {
        z3::expr Read = fresh(IntegerType::get(S.T.F.getContext(), Bits)), Last = Now[S.cell(Cell)];
        z3::expr Anew = S.Context.bool_val(true);
        if (Counter.ByValue) {
          z3::expr Says = Counter.Down ? number(Counter.From) - Read : Read - number(Counter.From);
          Anew = Says >= 0 && Says <= Now[S.taken(Q)];
        }
        if (S.hears(Cell)) {
          z3::expr &Heard = Now[S.heard(Cell)];
          Anew = Anew && Heard < Now[S.taken(Q)];
          Heard = z3::ite(Read == Last, Heard, Heard + 1);
        }
        Assumed.push_back(z3::implies(Reach.at(I.getParent()), Read == Last || Anew));
        return Now[S.cell(Cell)] = Read;
      }
      Assumed.push_back(Theirs >= 0 && Theirs <= Now[S.taken(Q)]);
      if (S.hears(Cell)) {
        Assumed.push_back(Theirs >= Now[S.heard(Cell)]);
        Now[S.heard(Cell)] = Theirs;
      }
      return wrap(Counter.Down ? Now[S.cell(Cell)] - Theirs : Now[S.cell(Cell)] + Theirs, Bits);
    }
  return fresh(IntegerType::get(S.T.F.getContext(), Bits));
}

/// A store to a shared counter sets the whole of it: what the thread's own part is then, is known only while
/// there is no other.
void Region::step(const Instruction &I, State &Now) {
  if (int C = sharedWord(I); C >= 0)
    return stepWord(I, C, Now);
  if (!I.mayWriteToMemory() || isa<AtomicRMWInst, LoadInst>(I))
    return run(I, Now);
  std::map<unsigned, std::pair<z3::expr, z3::expr>> Marked;
  for (unsigned C = 0; C < S.Memory.all().size(); ++C)
    if (const SharedCounter *Shared = S.Memory.all()[C].Shared; Shared && (Shared->Own || !Shared->Stored)) {
      z3::expr Mark = fresh("v");
      Marked.emplace(C, std::pair(Now[S.cell(C)], Mark));
      Now[S.cell(C)] = Mark;
    }
  run(I, Now);
  for (const auto &[C, Was] : Marked)
    if (const SharedCounter &Counter = *S.Memory.all()[C].Shared; z3::eq(Now[S.cell(C)], Was.second))
      Now[S.cell(C)] = Was.first;
    else if (auto Added = Counter.Adds.find(&I); Added != Counter.Adds.end())
      Now[S.cell(C)] = Added->second.second ? Was.first - value(Added->second.first)
                                            : Was.first + value(Added->second.first);
    else if (Counter.Own && Counter.Stored) // how often it has stored
      Now[S.cell(C)] = Was.first + 1;
    else if (S.Memory.late(*S.Memory.all()[C].Shared, I))
      Now[S.cell(C)] = fresh("v");
}

std::optional<z3::expr> Region::readCell(const LoadInst &Load, State &Now) {
  const PointerSet Places = Load.getType()->isPointerTy() ? S.T.Where.resolve(&Load) : PointerSet{};
  const int C = Load.getType()->isIntegerTy() || S.isAmongBlocks(Places) ? S.Memory.found(Load) : -1;
  if (C < 0 || (S.Memory.all()[C].OfRequest && S.Memory.all()[C].Size == 8))
    return std::nullopt;
  if (!Places.empty())
    isAtOneOf(Now[S.cell(C)], Places, &Load);
  if (!S.Memory.all()[C].Shared)
    return Now[S.cell(C)];
  return S.Memory.all()[C].Shared->Reads.count(&Load) ? std::optional(readShared(Load, C, Now))
                                                      : std::nullopt;
}

/// What the type says of the bits: a bool is 0 or 1 wherever the program comes to read it.
void Region::isOfItsRange(const LoadInst &Load) {
  const MDNode *Range = Load.getMetadata(LLVMContext::MD_range);
  auto Read = Values.find(&Load);
  if (!Range || Read == Values.end() || Range->getNumOperands() != 2)
    return;
  const ConstantRange Some = getConstantRangeFromMetadata(*Range);
  if (Some.getBitWidth() <= 64 && !Some.isSignWrappedSet() && !Some.isEmptySet())
    Assumed.push_back(z3::implies(Reach.at(Load.getParent()),
                                  Read->second >= number(Some.getSignedMin().getSExtValue()) &&
                                      Read->second <= number(Some.getSignedMax().getSExtValue())));
}

/// What calloc returns is zero, all of it.
void Region::allocate(const CallBase &Call, State &Now) {
  const ApiRow *Row = isa<IntrinsicInst>(Call) ? nullptr : rowOf(Call);
  if (!Row || Row->What != Api::Allocate || Row->Name != "calloc")
    return;
  for (unsigned C = 0; C < S.Memory.all().size(); ++C)
    if (const Cell &Kept = S.Memory.all()[C]; Kept.Base->Root == &Call && !Kept.Shared)
      Now[S.cell(C)] = number(0);
  for (unsigned E = 0; E < S.Elements.size(); ++E)
    if (S.Elements[E].Base->Root == &Call)
      Now[S.element(E)] = number(0);
}

/// A std::thread's first word is not zero when a thread has been started, and zero when that was waited for.
void Region::setId(const CallBase &Call, State &Now) {
  const ApiRow *Row = isa<IntrinsicInst>(Call) ? nullptr : rowOf(Call);
  if (!Row || (Row->What != Api::SpawnStd && Row->What != Api::JoinStd))
    return;
  const int C = S.Memory.at(S.T.Where.resolve(Call.getArgOperand(0)), 8);
  if (C < 0)
    return;
  Now[S.cell(C)] = Row->What == Api::JoinStd ? number(0) : fresh(Type::getInt64Ty(Call.getContext()));
  if (Row->What == Api::SpawnStd)
    Assumed.push_back(Now[S.cell(C)] != 0);
}

void Region::run(const Instruction &I, State &Now) {
  const DataLayout &Layout = S.T.F.getParent()->getDataLayout();
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    if (readId(*Load, Now))
      return;
    if (!readElement(*Load, Now))
      if (std::optional<z3::expr> Read = readCell(*Load, Now))
        Values.insert_or_assign(&I, *Read);
    return isOfItsRange(*Load);
  }
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    const Value *V = Store->getValueOperand();
    std::optional<z3::expr> Stored;
    // Where an address is as a number is known of requests only: elsewhere the program may look at its value.
    int Exact =
        S.Memory.at(S.T.Where.resolve(Store->getPointerOperand()), Layout.getTypeStoreSize(V->getType()));
    bool OfRequest = Exact >= 0 && S.Memory.all()[Exact].OfRequest;
    // And there the distance in the buffer counts, which no other number is.
    bool IsAddress = OfRequest && S.Memory.all()[Exact].Size == 8;
    const bool Counts = S.setsElement(I) || !S.Memory
                                                 .touched(S.T.Where.resolve(Store->getPointerOperand()),
                                                          Layout.getTypeStoreSize(V->getType()))
                                                 .empty();
    if (Counts && (IsAddress ? isDistance(V) : V->getType()->isIntegerTy() && !holdsAddress(V)))
      Stored = IsAddress ? distance(*V) : value(V);
    else if (Counts && !OfRequest && V->getType()->isIntegerTy(64))
      Stored = address(V, Store);
    else if (Counts && !OfRequest && V->getType()->isPointerTy())
      Stored = address(V, S.isVariable(*V) ? nullptr : Store);
    return write(Store->getPointerOperand(), Layout.getTypeStoreSize(V->getType()),
                 Stored ? &*Stored : nullptr, Now);
  }
  if (auto *Modify = dyn_cast<AtomicRMWInst>(&I))
    return modify(*Modify, Now);
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return write(Exchange->getPointerOperand(),
                 Layout.getTypeStoreSize(Exchange->getNewValOperand()->getType()), nullptr, Now);
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return;
  if (auto *Copy = dyn_cast<AnyMemTransferInst>(Call))
    return copy(*Copy, Now);
  if (auto *Set = dyn_cast<AnyMemSetInst>(Call)) {
    auto *Byte = dyn_cast<ConstantInt>(Set->getValue());
    auto *Length = dyn_cast<ConstantInt>(Set->getLength());
    PointerSet To = S.T.Where.resolve(Set->getRawDest());
    std::int64_t Size = Length ? Length->getZExtValue() : Unbounded;
    const State Old = Now;
    writeArrays(Set->getRawDest(), Size, nullptr, Now);
    if (Byte && Byte->isZero() && Length && To.size() == 1 && To[0].exact())
      clearArrays(To[0], Size, Old, Now);
    for (unsigned C : S.Memory.touched(To, Size)) {
      const Cell &Into = S.Memory.all()[C];
      bool Zero = Byte && Byte->isZero() && Length && To.size() == 1 && To[0].exact() &&
                  To[0].Low <= Into.Low && Into.Low + Into.Size <= To[0].Low + Size;
      Now[S.cell(C)] = Zero ? number(0) : fresh(IntegerType::get(S.T.F.getContext(), Into.Size * 8));
    }
    return;
  }
  join(*Call, Now);
  if (const PostSite *P = S.postAt(I))
    post(*P, Now);
  if (const PollSite *P = S.pollAt(I))
    poll(*P, Now);
  for (const PostSite &P : S.T.Posts)
    if (S.follows(P) && S.awaits(I, P))
      wait(*Call, Now[S.site()] == number(S.number(P)), Now);
  clobber(*Call, Now);
  allocate(*Call, Now);
  setId(*Call, Now);
}

} // namespace rdma::clang_ir
