// Arrays: of queues, of completions and of integers, of which one element is in focus.
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/counts/Region.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Operator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr std::size_t MostElements = 4;

/// Does it lead into one array of structs or integers, by an index?
bool inArray(const Pointer &P) { return !P.exact() && P.Strides.size() == 1 && P.Strides[0] >= 1; }

/// Is the place exactly some element?
bool isOf(const Element &E, const Pointer &P, std::int64_t Size) {
  return P.Base == E.Base && Size == E.Size && (P.Zeroed - E.At) % E.Stride == 0 &&
         (P.exact() ? E.Low <= P.Low && P.Low <= E.High : P.Strides.size() == 1 && P.Strides[0] == E.Stride);
}

Pointer anyOf(const Element &E) { return {E.Base, E.Low, E.High, E.At, {E.Stride}}; }

/// Phis that a number is computed from by casts and constants.
void phisOf(const Value *V, std::set<const PHINode *> &Into, unsigned Depth = 0) {
  auto *I = dyn_cast<Instruction>(V);
  if (!I || Depth > 6)
    return;
  if (auto *Phi = dyn_cast<PHINode>(I))
    Into.insert(Phi);
  else if (isa<CastInst, FreezeInst, GetElementPtrInst>(I) || isa<BinaryOperator>(I))
    for (const Use &Operand : I->operands())
      phisOf(Operand, Into, Depth + 1);
}

} // namespace

const Value *withoutFixedSteps(const Value *Address) {
  while (auto *Gep = dyn_cast<GEPOperator>(Address)) {
    if (!Gep->hasAllConstantIndices())
      break;
    Address = Gep->getPointerOperand();
  }
  return Address;
}

const Value *elementOf(const CallBase &Call, const Family &Of) {
  auto leadsTo = [](const Value *Loaded) { return cast<LoadInst>(Loaded)->getPointerOperand(); };
  const Value *At = leadsTo(Call.getArgOperand(0));
  return Of.Through ? leadsTo(withoutFixedSteps(At)) : At;
}

int System::batchOf(const PollSite &P) const {
  if (!P.Most)
    return -1;
  PointerSet Into = T.Where.resolve(P.Call->getArgOperand(2));
  for (unsigned B = 0; B < Batches.size(); ++B)
    if (Into.size() == 1 && Into[0].exact() && Into[0].Base == Batches[B].Base &&
        Into[0].Low == Batches[B].Low)
      return B;
  return -1;
}

bool System::setsElement(const Instruction &I) const {
  auto *Store = dyn_cast<StoreInst>(&I);
  return Store && any_of(Elements, [&](const Element &E) {
           return Memory.mayTouch(T.Where.resolve(Store->getPointerOperand()),
                                  Memory.sizeOf(Store->getValueOperand()->getType()), {anyOf(E), E.Size});
         });
}

/// Where completions are filled in, if the program looks at their wr_id.
void System::findBatches() {
  for (const PollSite &P : T.Polls) {
    PointerSet Into = P.Most ? T.Where.resolve(P.Call->getArgOperand(2)) : PointerSet{};
    if (Into.size() == 1 && Into[0].exact() && Into[0].Base->named() && batchOf(P) < 0 &&
        Memory.ownBlock(*Into[0].Base))
      Batches.push_back({Into[0].Base, Into[0].Low});
  }
  for (const Instruction &I : instructions(T.F))
    if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->getType()->isIntegerTy(64))
      for (const Pointer &P : T.Where.resolve(Load->getPointerOperand()))
        HasIds |= any_of(Batches, [&](const Batch &B) { return B.Base == P.Base; });
  if (!HasIds)
    Batches.clear();
  for (const Batch &B : Batches)
    addAll(Carried, T.Where.everFoundAt(moved({B.Base, B.Low, B.Low, B.Low}, layout::CompletedId)));
}

/// Does the wr_id of some completion lead to the block?
bool System::leadsTo(const Origin &Block) const {
  return any_of(Carried, [&](const Pointer &P) { return P.Base == &Block; });
}

/// Arrays of integers that are read and written, somewhere by an index: a loop that has been unrolled names
/// its elements one by one.
void System::findElements() {
  if (!HasFamilies && !HasIds)
    return;
  struct Use {
    Pointer At;
    std::int64_t Size;
    bool Stored;
  };
  std::vector<Use> Uses;
  for (const Instruction &I : instructions(T.F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    if (!Store && !isa<LoadInst>(I))
      continue;
    const Type *Number = Store ? Store->getValueOperand()->getType() : I.getType();
    PointerSet Places =
        Number->isIntegerTy() ? T.Where.resolve(getLoadStorePointerOperand(&I)) : PointerSet{};
    if (Places.size() == 1 && Places[0].Base->named())
      Uses.push_back({Places[0], Memory.sizeOf(Number), Store != nullptr});
  }
  std::set<std::tuple<const Origin *, std::int64_t, std::int64_t>> Arrays;
  for (const Use &ByIndex : Uses) {
    const Pointer &P = ByIndex.At;
    if (!inArray(P) || P.Strides[0] < ByIndex.Size || P.Zeroed < 0 || ByIndex.Size > 8 ||
        any_of(Batches, [&](const Batch &B) { return B.Base == P.Base; }) ||
        !Arrays.insert({P.Base, P.Zeroed % P.Strides[0], P.Strides[0]}).second)
      continue;
    Element E{P.Base, P.Zeroed, P.Strides[0], ByIndex.Size, false};
    for (const Use &U : Uses)
      if (inArray(U.At) && isOf(E, U.At, U.Size)) {
        E.Low = std::min(E.Low, U.At.Low);
        E.High = std::max(E.High, U.At.High);
      }
    E.Zeroed = Memory.beginsZeroed(*E.Base);
    auto uses = [&](bool Stored) {
      return any_of(Uses, [&](const Use &U) { return U.Stored == Stored && isOf(E, U.At, U.Size); });
    };
    if (!uses(true) || !uses(false) || !Memory.ownBlock(*E.Base))
      continue;
    for (bool ById : {false, true})
      if ((ById ? HasIds : HasFamilies) && Elements.size() < MostElements) {
        E.ById = ById;
        E.Begin = ById && leadsTo(*E.Base) ? beginOf(*E.Base) : std::nullopt;
        Elements.push_back(E);
      }
  }
}

void System::findIndices() {
  for (const PostSite &P : T.Posts)
    if (P.Of.Queue != None)
      phisOf(elementOf(*P.Call, P.Of), Indices);
  for (const PollSite &P : T.Polls)
    if (P.Of.Queue != None)
      phisOf(elementOf(*P.Call, P.Of), Indices);
  if (!HasIds)
    return;
  for (const PostSite &P : T.Posts)
    for (const PostSite::Request &R : P.Requests)
      if (R.Id)
        phisOf(R.Id, Ids);
  for (const PostSite &P : T.Posts)
    if (P.WorkRequest)
      for (const Instruction &I : instructions(T.F))
        if (auto *Store = dyn_cast<StoreInst>(&I))
          if (PointerSet To = T.Where.resolve(Store->getPointerOperand());
              To.size() == 1 && To[0] == *P.WorkRequest)
            phisOf(Store->getValueOperand(), Ids);
}

/// Which element of an array an address is of, the first being at At.
z3::expr Region::indexIn(const Value *Address, std::int64_t At, std::int64_t Stride) {
  z3::expr Sum = number(0);
  const DataLayout &Layout = S.T.F.getParent()->getDataLayout();
  std::int64_t Moved = 0;
  for (const Value *Next = Address;;) {
    PointerSet Places = S.T.Where.resolve(Next);
    if (Places.size() == 1 && Places[0].exact()) {
      if ((Places[0].Low + Moved - At) % Stride != 0)
        break;
      return Sum + number((Places[0].Low + Moved - At) / Stride);
    }
    auto *Gep = dyn_cast<GEPOperator>(Next);
    MapVector<Value *, APInt> Variable;
    APInt Constant(64, 0);
    if (!Gep || !Gep->collectOffset(Layout, 64, Variable, Constant))
      break;
    bool Fits = true;
    for (const auto &[Index, Step] : Variable)
      if (Step.getSExtValue() % Stride == 0)
        Sum = Sum + value(Index) * number(Step.getSExtValue() / Stride);
      else
        Fits = false;
    if (!Fits)
      break;
    Moved += Constant.getSExtValue();
    Next = Gep->getPointerOperand();
  }
  return (value(Address) - number(At)) / number(Stride);
}

z3::expr Region::inFocus(const CallBase &Call, const Family &Of) {
  return indexIn(elementOf(Call, Of), Of.At, Of.Stride);
}

/// The wr_id of an entry that a poll has filled: the one in focus only if a completion with that was taken.
bool Region::readId(const LoadInst &Load, State &Now) {
  PointerSet Places = S.T.Where.resolve(Load.getPointerOperand());
  if (!Load.getType()->isIntegerTy(64) || Places.size() != 1)
    return false;
  for (unsigned B = 0; B < S.Batches.size(); ++B) {
    if (S.Batches[B].Base != Places[0].Base)
      continue;
    z3::expr Id = fresh(Load.getType()), From = value(Load.getPointerOperand()) - number(S.Batches[B].Low);
    z3::expr Entry = From / number(layout::CompletionSize);
    z3::expr Filled = z3::mod(From, number(layout::CompletionSize)) == number(layout::CompletedId) &&
                      Entry >= 0 && Entry < Now[S.filled(B)];
    Assumed.push_back(z3::implies(Filled && Id == Now[S.id()], Now[S.withId(B)] >= 1));
    Assumed.push_back(
        z3::implies(Filled && Now[S.filled(B)] == 1 && Now[S.withId(B)] == 1, Id == Now[S.id()]));
    // It is one of those that were posted; and those before the followed request, as long as this is out.
    z3::expr Named = asUnsigned(Id, 64);
    Assumed.push_back(z3::implies(Filled, Named <= Now[S.topId()]));
    Assumed.push_back(z3::implies(Filled && Now[S.pending()] == 1, Named <= Now[S.topBefore()]));
    if (std::optional<z3::expr> Known = amongAddresses(Id))
      Assumed.push_back(z3::implies(Filled, *Known));
    Values.insert_or_assign(&Load, Id);
    return true;
  }
  return false;
}

z3::expr Region::focusOf(const Element &E, const State &Now) {
  // One that is no address there stands for no element, whatever small number it is.
  if (E.Begin)
    return z3::ite(Now[S.id()] >= number(*E.Begin), (Now[S.id()] - number(*E.Begin)) / number(E.Stride),
                   number(-1) - powerOfTwo(S.Context, 62));
  return Now[E.ById ? S.id() : S.focus()];
}

bool Region::readElement(const LoadInst &Load, State &Now) {
  std::optional<z3::expr> Read;
  PointerSet Places = S.T.Where.resolve(Load.getPointerOperand());
  for (unsigned I = 0; I < S.Elements.size(); ++I) {
    const Element &E = S.Elements[I];
    if (Places.size() != 1 || !isOf(E, Places[0], S.Memory.sizeOf(Load.getType())))
      continue;
    if (!Read)
      Read = readCell(Load, Now);
    if (!Read)
      Read = fresh(Load.getType());
    Assumed.push_back(z3::implies(indexIn(Load.getPointerOperand(), E.At, E.Stride) == focusOf(E, Now),
                                  *Read == Now[S.element(I)]));
  }
  if (Read)
    Values.insert_or_assign(&Load, *Read);
  return Read.has_value();
}

void Region::writeArrays(const Value *To, std::int64_t Size, const z3::expr *Stored, State &Now) {
  PointerSet Places = S.T.Where.resolve(To);
  for (unsigned I = 0; I < S.Elements.size(); ++I) {
    const Element &E = S.Elements[I];
    z3::expr Any = fresh(IntegerType::get(S.T.F.getContext(), E.Size * 8));
    if (Places.size() == 1 && isOf(E, Places[0], Size))
      Now[S.element(I)] =
          z3::ite(indexIn(To, E.At, E.Stride) == focusOf(E, Now), Stored ? *Stored : Any, Now[S.element(I)]);
    else if (S.Memory.mayTouch(Places, Size, {anyOf(E), E.Size}))
      Now[S.element(I)] = Any;
  }
  for (unsigned B = 0; B < S.Batches.size(); ++B)
    if (S.Memory.mayTouch(Places, Size, {Pointer{S.Batches[B].Base, 0, Unbounded, 0, {1}}, Unbounded}))
      Now[S.filled(B)] = number(0);
}

/// Size bytes from there on become zero. Old: before.
void Region::clearArrays(const Pointer &From, std::int64_t Size, const State &Old, State &Now) {
  for (unsigned I = 0; I < S.Elements.size(); ++I) {
    const Element &E = S.Elements[I];
    if (E.Base != From.Base)
      continue;
    const z3::expr At = number(E.At) + focusOf(E, Old) * number(E.Stride);
    const z3::expr Begin = number(From.Low), End = number(From.Low) + number(Size);
    Now[S.element(I)] =
        z3::ite(Begin <= At && At + number(E.Size) <= End, number(0),
                z3::ite(At + number(E.Size) <= Begin || End <= At, Old[S.element(I)], Now[S.element(I)]));
  }
}

/// What a call may write.
void Region::clobber(const CallBase &Call, State &Now) {
  for (unsigned C : S.Memory.touchedBy(Call))
    Now[S.cell(C)] = fresh(IntegerType::get(S.T.F.getContext(), S.Memory.all()[C].Size * 8));
  if (S.Elements.empty() && S.Batches.empty())
    return;
  const Cells::Writes Written = S.Memory.writesOf(Call);
  for (unsigned I = 0; I < S.Elements.size(); ++I)
    if (S.Memory.mayTouch(Written, {anyOf(S.Elements[I]), S.Elements[I].Size}))
      Now[S.element(I)] = fresh(IntegerType::get(S.T.F.getContext(), S.Elements[I].Size * 8));
  const PollSite *Poll = S.pollAt(Call);
  for (unsigned B = 0; B < S.Batches.size(); ++B)
    if ((!Poll || S.batchOf(*Poll) != static_cast<int>(B)) &&
        S.Memory.mayTouch(Written, {Pointer{S.Batches[B].Base}, Unbounded}))
      Now[S.filled(B)] = number(0);
}

} // namespace rdma::clang_ir
