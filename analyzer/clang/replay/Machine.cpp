#include "analyzer/clang/replay/Machine.h"
#include "analyzer/clang/replay/StraightBehind.h"

#include <llvm/IR/CFG.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

std::uint64_t cut(std::uint64_t Bits, unsigned Width) {
  return Width >= 64 ? Bits : Bits & ((std::uint64_t(1) << Width) - 1);
}

bool isWord(const Type *Type) {
  return Type->isPointerTy() || Type->isFloatTy() || Type->isDoubleTy() ||
         (Type->isIntegerTy() && Type->getIntegerBitWidth() <= 64);
}

} // namespace

Machine::Machine(const CountedThread &T, const std::vector<QueuePair> &QueuePairs, Choice Chosen,
                 SeenPairs &Seen)
    : T(T), QueuePairs(QueuePairs), Layout(T.F.getParent()->getDataLayout()), Chosen(Chosen),
      FilesWait(T.F.getParent()->getFunction("fdopen") || T.F.getParent()->getFunction("popen")), Seen(Seen),
      Memory(Layout), Card(Chosen.Patience) {
  for (const PostSite &P : T.Posts)
    Posts[P.Call] = &P;
  for (const PollSite &P : T.Polls)
    Polls[P.Call] = &P;
  for (const Argument &A : T.F.args())
    if (A.getType()->isPointerTy())
      Registers[&A] = Datum::address(Memory.add(Heap::Before::Given));
    else if (A.getType()->isIntegerTy() && A.getType()->getIntegerBitWidth() <= 64)
      Registers[&A] = Datum::chosen(cut(chosen(A, Chosen.Parameter), A.getType()->getIntegerBitWidth()));
}

/// Blocks from which the thread may return or go round a loop: not those of a failed check. And those from
/// which it may post.
void Machine::findEnds() {
  for (const auto &[Call, Post] : Posts)
    for ([[maybe_unused]] const BasicBlock *Earlier : inverse_depth_first_ext(Call->getParent(), MayPost))
      continue;
  for (const BasicBlock &Block : T.F)
    if (isa<ReturnInst>(Block.getTerminator()) || T.Loops.getLoopFor(&Block))
      for ([[maybe_unused]] const BasicBlock *Earlier : inverse_depth_first_ext(&Block, GoesOn))
        continue;
}

void Machine::run() {
  findEnds();
  if (!jump(&T.F.getEntryBlock()))
    return;
  while (Steps < Chosen.MostSteps) {
    const BasicBlock *Now = Here;
    for (const Instruction &I : *Now) {
      ++Steps;
      if (isa<PHINode>(I))
        continue;
      if (!(I.isTerminator() ? terminate(I) : step(I)))
        return;
    }
  }
}

bool Machine::jump(const BasicBlock *To) {
  From = std::exchange(Here, To);
  std::vector<Datum> Entered; // at once
  for (const PHINode &Phi : To->phis())
    Entered.push_back(value(Phi.getIncomingValueForBlock(From)));
  for (auto [Phi, What] : zip(To->phis(), Entered))
    set(Phi, What);
  return !repeats(Entered);
}

/// A wait for a completion that never comes: this round of the loop began as the last one did.
bool Machine::repeats(const std::vector<Datum> &Entered) {
  if (Chosen.Patience != Choice::Forever || !T.Loops.isLoopHeader(Here))
    return false;
  Round Now{Memory.changes() + Card.changes(), Entered};
  auto [Last, First] = Rounds.try_emplace(Here, Now);
  if (!First && T.Loops.getLoopFor(Here)->contains(From) && Last->second == Now)
    return true;
  Last->second = std::move(Now);
  return false;
}

Datum Machine::value(const Value *V) {
  if (auto *C = dyn_cast<Constant>(V))
    return Memory.constant(*C);
  auto Found = Registers.find(V);
  return Found == Registers.end() ? Datum{} : Found->second;
}

bool Machine::terminate(const Instruction &I) {
  if (auto *Invoke = dyn_cast<InvokeInst>(&I))
    return call(*Invoke) && jump(Invoke->getNormalDest());
  if (auto *Branch = dyn_cast<BranchInst>(&I)) {
    if (!Branch->isConditional())
      return jump(Branch->getSuccessor(0));
    Datum Test = value(Branch->getCondition());
    const BasicBlock *Yes = Branch->getSuccessor(0), *No = Branch->getSuccessor(1);
    // What is not known lets the thread go on, and so is what we choose.
    if ((Test.Chosen || !Test.isNumber()) && GoesOn.count(Yes) != GoesOn.count(No)) {
      const BasicBlock *On = GoesOn.count(Yes) ? Yes : No;
      if (!Test.isNumber() || On == (Test.Bits & 1 ? Yes : No))
        return jump(On);
      Wanted = passing(*Branch, On == Yes, Chosen.Parameter);
      return false;
    }
    if (!Test.isNumber())
      return false;
    const bool IsYes = Test.Bits & 1;
    // Nothing is shown by a thread that posts nothing.
    if (Test.Chosen && Card.posted().empty() && MayPost.count(IsYes ? No : Yes) &&
        !MayPost.count(IsYes ? Yes : No))
      Wanted = passing(*Branch, !IsYes, Chosen.Parameter);
    return !Wanted && jump(IsYes ? Yes : No);
  }
  auto *Switch = dyn_cast<SwitchInst>(&I);
  if (!Switch)
    return false;
  Datum Test = value(Switch->getCondition());
  if (!Test.isNumber())
    return false;
  for (auto Case : Switch->cases())
    if (Case.getCaseValue()->getZExtValue() == Test.Bits)
      return jump(Case.getCaseSuccessor());
  return jump(Switch->getDefaultDest());
}

std::int64_t Machine::sizeOf(const Type *Type) const {
  return Layout.getTypeStoreSize(const_cast<llvm::Type *>(Type));
}

Datum Machine::load(const Datum &At, const Type *Type) {
  if (!At.isAddress() || !isWord(Type))
    return {};
  Datum Found = Memory.load(At.Block, At.Offset, sizeOf(Type), Type->isPointerTy());
  if (Found.isNumber() && Type->isIntegerTy())
    Found.Bits = cut(Found.Bits, Type->getIntegerBitWidth());
  return Found;
}

/// The first time that it reads what nobody has written there, it is what was chosen for it.
Datum Machine::loadChosen(const LoadInst &Load, const Datum &At) {
  const Datum Found = load(At, Load.getType());
  const auto Number = Chosen.Numbers.find(&Load);
  if (!Found.Chosen || !Found.isNumber() || Number == Chosen.Numbers.end() || !Given.insert(&Load).second)
    return Found;
  store(At, Load.getType(), Datum::chosen(Number->second));
  return load(At, Load.getType());
}

void Machine::store(const Datum &At, const Type *Type, Datum What) {
  if (!At.isAddress())
    return;
  if (isWord(Type))
    Memory.store(At.Block, At.Offset, sizeOf(Type), std::move(What));
  else
    Memory.fill(At.Block, At.Offset, sizeOf(Type), Heap::Before::Nothing);
}

bool Machine::step(const Instruction &I) {
  if (auto *Load = dyn_cast<LoadInst>(&I)) {
    Datum At = value(Load->getPointerOperand());
    touch(I, At, sizeOf(Load->getType()), false);
    set(I, loadChosen(*Load, At));
    return true;
  }
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    Datum At = value(Store->getPointerOperand());
    const Type *Stored = Store->getValueOperand()->getType();
    touch(I, At, sizeOf(Stored), true);
    store(At, Stored, value(Store->getValueOperand()));
    return At.isAddress(); // else anything may have changed
  }
  if (auto *Modify = dyn_cast<AtomicRMWInst>(&I))
    return modify(*Modify);
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return exchange(*Exchange);
  if (auto *Call = dyn_cast<CallBase>(&I))
    return call(*Call);
  if (auto *Variable = dyn_cast<AllocaInst>(&I)) {
    set(I, Datum::address(Memory.add(Heap::Before::Nothing)));
    return !Variable->isArrayAllocation() || value(Variable->getArraySize()).isNumber();
  }
  Datum Result = compute(I);
  if (isa<BinaryOperator>(I) || isa<CastInst>(I) || isa<ICmpInst>(I) || isa<SelectInst>(I))
    for (const Use &U : I.operands())
      Result.Chosen |= value(U).Chosen;
  set(I, std::move(Result));
  return true;
}

Datum Machine::compute(const Instruction &I) {
  if (auto *Op = dyn_cast<BinaryOperator>(&I))
    return binary(*Op);
  if (auto *Conversion = dyn_cast<CastInst>(&I))
    return cast(*Conversion);
  if (auto *Compare = dyn_cast<ICmpInst>(&I))
    return compare(*Compare);
  if (auto *Place = dyn_cast<GetElementPtrInst>(&I)) {
    Datum Base = value(Place->getPointerOperand());
    MapVector<Value *, APInt> Variable;
    APInt Fixed(64, 0);
    if (!Base.isAddress() || !Place->collectOffset(Layout, 64, Variable, Fixed))
      return {};
    Base.Offset += Fixed.getSExtValue();
    for (const auto &[Index, Scale] : Variable) {
      auto N = number(value(Index), Index->getType()->getScalarSizeInBits());
      if (!N)
        return {};
      Base.Offset += *N * Scale.getSExtValue();
    }
    return Base;
  }
  if (auto *Choice = dyn_cast<SelectInst>(&I)) {
    Datum Test = value(Choice->getCondition());
    return Test.isNumber() ? value(Test.Bits & 1 ? Choice->getTrueValue() : Choice->getFalseValue())
                           : Datum{};
  }
  if (isa<FreezeInst>(I))
    return value(I.getOperand(0));
  if (auto *Part = dyn_cast<ExtractValueInst>(&I)) {
    Datum All = value(Part->getAggregateOperand());
    bool Has = Part->getNumIndices() == 1 && Part->getIndices()[0] < All.Parts.size();
    return Has ? All.Parts[Part->getIndices()[0]] : Datum{};
  }
  if (auto *Part = dyn_cast<InsertValueInst>(&I); Part && Part->getType()->isStructTy()) {
    Datum All = value(Part->getAggregateOperand());
    All.What = Datum::Kind::Several;
    All.Parts.resize(Part->getType()->getStructNumElements());
    if (Part->getNumIndices() == 1)
      All.Parts[Part->getIndices()[0]] = value(Part->getInsertedValueOperand());
    return All;
  }
  return {};
}

std::optional<std::int64_t> Machine::number(const Datum &D, unsigned Bits) const {
  if (!D.isNumber())
    return std::nullopt;
  return Bits >= 64 ? static_cast<std::int64_t>(D.Bits) : SignExtend64(D.Bits, Bits);
}

Datum Machine::binary(const BinaryOperator &Op) {
  Datum A = value(Op.getOperand(0)), B = value(Op.getOperand(1));
  unsigned Width = Op.getType()->isIntegerTy() ? Op.getType()->getIntegerBitWidth() : 0;
  if (!Width || Width > 64)
    return {};
  auto shifted = [](Datum Base, std::uint64_t By) {
    Base.Offset += static_cast<std::int64_t>(By);
    return Base;
  };
  using Code = Instruction::BinaryOps;
  // An address in an integer.
  if (A.isAddress() && B.isNumber() && Op.getOpcode() == Code::Add)
    return shifted(A, B.Bits);
  if (A.isNumber() && B.isAddress() && Op.getOpcode() == Code::Add)
    return shifted(B, A.Bits);
  if (A.isAddress() && B.isNumber() && Op.getOpcode() == Code::Sub)
    return shifted(A, -B.Bits);
  if (A.isAddress() && B.isAddress() && A.Block == B.Block && Op.getOpcode() == Code::Sub)
    return Datum::number(cut(A.Offset - B.Offset, Width));
  // Known whatever the other side is.
  bool Zero = (A.isNumber() && !A.Bits) || (B.isNumber() && !B.Bits);
  if (Zero && (Op.getOpcode() == Code::And || Op.getOpcode() == Code::Mul))
    return Datum::number(0);
  if (!A.isNumber() || !B.isNumber())
    return {};
  APInt X(Width, A.Bits), Y(Width, B.Bits);
  bool Far = Y.uge(Width);
  switch (Op.getOpcode()) {
  case Code::Add:
    X += Y;
    break;
  case Code::Sub:
    X -= Y;
    break;
  case Code::Mul:
    X *= Y;
    break;
  case Code::And:
    X &= Y;
    break;
  case Code::Or:
    X |= Y;
    break;
  case Code::Xor:
    X ^= Y;
    break;
  case Code::Shl:
    X = Far ? APInt(Width, 0) : X.shl(Y);
    break;
  case Code::LShr:
    X = Far ? APInt(Width, 0) : X.lshr(Y);
    break;
  case Code::AShr:
    X = Far ? APInt(Width, 0) : X.ashr(Y);
    break;
  case Code::UDiv:
  case Code::SDiv:
  case Code::URem:
  case Code::SRem:
    if (Y.isZero() || (Y.isAllOnes() && X.isMinSignedValue()))
      return {};
    X = Op.getOpcode() == Code::UDiv   ? X.udiv(Y)
        : Op.getOpcode() == Code::SDiv ? X.sdiv(Y)
        : Op.getOpcode() == Code::URem ? X.urem(Y)
                                       : X.srem(Y);
    break;
  default:
    return {};
  }
  return Datum::number(X.getZExtValue());
}

Datum Machine::cast(const CastInst &Cast) {
  Datum Of = value(Cast.getOperand(0));
  const Type *To = Cast.getType(), *Source = Cast.getSrcTy();
  bool Narrow = To->isIntegerTy() && To->getIntegerBitWidth() < 64;
  switch (Cast.getOpcode()) {
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
  case Instruction::BitCast:
    return Of.isAddress() && Narrow ? Datum{} : Of;
  case Instruction::Trunc:
  case Instruction::ZExt:
    return Of.isNumber() && To->isIntegerTy() && To->getIntegerBitWidth() <= 64
               ? Datum::number(cut(Of.Bits, To->getIntegerBitWidth()))
               : Datum{};
  case Instruction::SExt:
    if (auto N = number(Of, Source->getScalarSizeInBits());
        N && To->isIntegerTy() && To->getIntegerBitWidth() <= 64)
      return Datum::number(cut(*N, To->getIntegerBitWidth()));
    return {};
  default:
    return {};
  }
}

Datum Machine::compare(const ICmpInst &Compare) {
  Datum A = value(Compare.getOperand(0)), B = value(Compare.getOperand(1));
  unsigned Width = Compare.getOperand(0)->getType()->isPointerTy()
                       ? 64
                       : Compare.getOperand(0)->getType()->getScalarSizeInBits();
  if (A.isNumber() && B.isNumber() && Width <= 64)
    return Datum::number(
        ICmpInst::compare(APInt(Width, A.Bits), APInt(Width, B.Bits), Compare.getPredicate()));
  bool Same = A.isAddress() && B.isAddress() && A.Block == B.Block;
  if (Same)
    return Datum::number(ICmpInst::compare(APInt(64, A.Offset, true), APInt(64, B.Offset, true),
                                           ICmpInst::getSignedPredicate(Compare.getPredicate())));
  bool Apart = (A.isAddress() && (B.isAddress() || (B.isNumber() && !B.Bits))) ||
               (B.isAddress() && A.isNumber() && !A.Bits);
  if (Apart && Compare.isEquality())
    return Datum::number(Compare.getPredicate() == ICmpInst::ICMP_NE);
  return {};
}

bool Machine::modify(const AtomicRMWInst &Modify) {
  Datum At = value(Modify.getPointerOperand()), By = value(Modify.getValOperand());
  const Type *Type = Modify.getType();
  touch(Modify, At, sizeOf(Type), true);
  Datum Old = load(At, Type);
  set(Modify, Old);
  Datum New;
  unsigned Width = Type->isIntegerTy() ? Type->getIntegerBitWidth() : 64;
  bool Known = Old.isNumber() && By.isNumber();
  if (Modify.getOperation() == AtomicRMWInst::Xchg)
    New = By;
  else if (Known && Modify.getOperation() == AtomicRMWInst::Add)
    New = Datum::number(cut(Old.Bits + By.Bits, Width));
  else if (Known && Modify.getOperation() == AtomicRMWInst::Sub)
    New = Datum::number(cut(Old.Bits - By.Bits, Width));
  else if (Known && Modify.getOperation() == AtomicRMWInst::Or)
    New = Datum::number(Old.Bits | By.Bits);
  else if (Known && Modify.getOperation() == AtomicRMWInst::And)
    New = Datum::number(Old.Bits & By.Bits);
  store(At, Type, New);
  return At.isAddress();
}

bool Machine::exchange(const AtomicCmpXchgInst &Exchange) {
  Datum At = value(Exchange.getPointerOperand()), Wanted = value(Exchange.getCompareOperand());
  const Type *Type = Exchange.getNewValOperand()->getType();
  touch(Exchange, At, sizeOf(Type), true);
  Datum Old = load(At, Type);
  if (!Old.isNumber() || !Wanted.isNumber())
    return false;
  bool Same = Old.Bits == Wanted.Bits;
  if (Same)
    store(At, Type, value(Exchange.getNewValOperand()));
  Datum Result{Datum::Kind::Several};
  Result.Parts = {Old, Datum::number(Same)};
  set(Exchange, Result);
  return true;
}

/// Again and again, with what passes the check that the last run did not pass.
static void replay(const CountedThread &T, const std::vector<QueuePair> &Pairs, Machine::Choice &Chosen,
                   SeenPairs &Seen) {
  for (unsigned MostChecks = 16; MostChecks > 0; --MostChecks) {
    Machine Run(T, Pairs, Chosen, Seen);
    Run.run();
    if (!Run.wanted())
      return;
    auto [Number, New] = Chosen.Numbers.insert(*Run.wanted());
    if (!New && Number->second == Run.wanted()->second)
      return;
    Number->second = Run.wanted()->second;
  }
}

const SeenPairs &Replays::of(const CountedThread &T) {
  auto [Found, New] = Known.try_emplace(T.Index);
  if (!New)
    return Found->second;
  constexpr unsigned Few = 3;
  std::vector<Machine::Choice> Choices = {
      {1000, Few, 300'000}, {1, Few, 100'000}, {0, Few, 100'000}, {1000, Machine::Choice::Forever, 100'000}};
  if (std::any_of(T.Polls.begin(), T.Polls.end(), [&](const PollSite &P) { return Taken.count(P.Call); }))
    Choices.push_back({1000, Few, 300'000, &Taken});
  for (Machine::Choice &Chosen : Choices)
    replay(T, Pairs, Chosen, Found->second);
  addStraightBehind(T, Found->second);
  return Found->second;
}

} // namespace rdma::clang_ir
