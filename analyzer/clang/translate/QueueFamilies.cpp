// Queue pairs and completion queues kept in arrays: qp[i] and cq[i], or conn[i].qp and conn[i].cq.
//
// Which element a call uses is not known here. That both are of the same index is what the counting works
// with (counts/), so all that is asked here is which array goes with which.
#include "analyzer/clang/translate/Translator.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

std::string quoted(const std::string &Path) { return "'" + Path + "'"; }

/// Where the array begins whose elements are this far apart and that has this byte.
std::optional<std::int64_t> beginOfArray(const Origin &Block, std::int64_t At, std::int64_t Stride) {
  const DIType *Type = strip(Block.Name.Type);
  if (!Type)
    return Block.What == Origin::Kind::Heap && At < Stride ? std::optional<std::int64_t>(0) : std::nullopt;
  if (sizeOf(Type) == Stride)
    return 0;
  for (std::int64_t Begin = 0;;) {
    auto *Composite = dyn_cast_or_null<DICompositeType>(Type);
    if (!Composite)
      return std::nullopt;
    if (Composite->getTag() == dwarf::DW_TAG_array_type)
      return sizeOf(Composite->getBaseType()) == Stride ? std::optional(Begin) : std::nullopt;
    const DIDerivedType *Holding = nullptr;
    for (const DINode *Element : Composite->getElements())
      if (auto *Member = dyn_cast_or_null<DIDerivedType>(Element); Member && !Member->isStaticMember())
        if (std::int64_t Offset = Begin + Member->getOffsetInBits() / 8;
            Offset <= At && At < Offset + sizeOf(Member).value_or(0))
          Holding = Member;
    if (!Holding)
      return std::nullopt;
    Begin += Holding->getOffsetInBits() / 8;
    Type = strip(Holding->getBaseType());
  }
}

/// What the address is computed from, beside constants.
std::optional<std::pair<const Value *, std::int64_t>> variableIn(const Value *Address,
                                                                 const DataLayout &Layout) {
  std::optional<std::pair<const Value *, std::int64_t>> Only;
  while (auto *Gep = dyn_cast<GEPOperator>(Address)) {
    MapVector<Value *, APInt> Variable;
    APInt Constant(64, 0);
    if (!Gep->collectOffset(Layout, 64, Variable, Constant) || Variable.size() + Only.has_value() > 1)
      return std::nullopt;
    if (!Variable.empty())
      Only = {Variable.front().first, Variable.front().second.getSExtValue()};
    Address = Gep->getPointerOperand();
  }
  return Only;
}

} // namespace

std::optional<Translator::Slot> Translator::slotAt(const Value *Address) {
  PointerSet Places = Where.resolve(Address);
  if (Places.size() != 1 || !Places[0].Base->named() || Places[0].exact() || Places[0].Strides.size() != 1 ||
      Places[0].Strides[0] < 8)
    return std::nullopt;
  std::int64_t Stride = Places[0].Strides[0], At = Places[0].Zeroed;
  std::optional<std::int64_t> Begin = beginOfArray(*Places[0].Base, At, Stride);
  if (!Begin || At < *Begin)
    return std::nullopt;
  return Slot{Places[0].Base, *Begin + (At - *Begin) % Stride, Stride, Address};
}

std::optional<Translator::Slot> Translator::slotOf(const Value *Loaded) {
  auto *Load = dyn_cast<LoadInst>(Loaded);
  return Load ? slotAt(Load->getPointerOperand()) : std::nullopt;
}

/// Is there no post and no poll that names an element of the array in another way?
bool Translator::onlyByIndex(const Slot &Array, const CountedThread &T) {
  auto fits = [&](const CallBase &Call) {
    auto *Load = dyn_cast<LoadInst>(Call.getArgOperand(0));
    if (!Load)
      return true;
    for (const Pointer &P : Where.resolve(Load->getPointerOperand()))
      if (!P.Base->named() ||
          (P.Base == Array.Holder && (P.exact() || P.Strides.size() != 1 || P.Strides[0] != Array.Stride)))
        return false;
    return true;
  };
  return all_of(T.Posts, [&](const PostSite &P) { return fits(*P.Call); }) &&
         all_of(T.Polls, [&](const PollSite &P) { return fits(*P.Call); });
}

/// The one store that fills the array; null when there are others.
const StoreInst *Translator::onlyStoreTo(const Slot &Array) {
  const StoreInst *Only = nullptr;
  for (const Instruction &I : instructions(In.F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
    if (!Store && !Copy)
      continue;
    if (Store && isa<ConstantPointerNull>(Store->getValueOperand()))
      continue;
    for (const Pointer &P : Where.resolve(Store ? Store->getPointerOperand() : Copy->getRawDest())) {
      std::int64_t Size =
          Store ? In.F.getParent()->getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType())
                : Unbounded;
      Pointer Element{Array.Holder, Array.At, Unbounded, Array.At, {Array.Stride}};
      if (P.Base == Array.Holder ? !mayMeet(P, Size, Element, 8) : P.Base->named())
        continue;
      std::optional<Slot> To = Store ? slotAt(Store->getPointerOperand()) : std::nullopt;
      if (Only || !To || !To->sameArray(Array))
        return nullptr;
      Only = Store;
    }
  }
  return Only;
}

/// A loop that creates a queue pair and its completion queue for each index.
std::optional<Translator::Slot> Translator::createdWith(const CallBase &Create, const Slot &Pairs,
                                                        bool Receives) {
  const StoreInst *Kept = onlyStoreTo(Pairs);
  if (!Kept || Kept->getValueOperand() != &Create ||
      Where.writtenElsewhere({Pairs.Holder, 0, 0, 0, {}}, Unbounded))
    return std::nullopt;
  Contents Held;
  for (Pointer Attribute : Where.resolve(Create.getArgOperand(1)))
    for (const Content &C :
         Memory.read(moved(Attribute, Receives ? layout::RecvCq : layout::SendCq), 8, &Create))
      Held.push_back(C);
  if (Held.size() != 1 || Held[0].What != Content::Kind::Value)
    return std::nullopt;
  // Made in the same round and kept in an array, or found there.
  const Value *Cq = Held[0].V, *Address = nullptr;
  if (auto *Load = dyn_cast<LoadInst>(Cq))
    Address = Load->getPointerOperand();
  for (const User *U : Cq->users())
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == Cq)
      if (!Address && slotAt(Store->getPointerOperand()))
        Address = Store->getPointerOperand();
  std::optional<Slot> Queues = Address ? slotAt(Address) : std::nullopt;
  const StoreInst *Filled = Queues ? onlyStoreTo(*Queues) : nullptr;
  if (!Filled || Where.writtenElsewhere({Queues->Holder, 0, 0, 0, {}}, Unbounded))
    return std::nullopt;
  // One for each: created in the round that keeps it.
  auto *Made = dyn_cast<CallBase>(Filled->getValueOperand());
  const ApiRow *Row = Made ? meaning(*Made) : nullptr;
  if (!Row || Row->What != Api::CreateCq)
    return std::nullopt;
  const DataLayout &Layout = In.F.getParent()->getDataLayout();
  auto Mine = variableIn(Kept->getPointerOperand(), Layout), Its = variableIn(Address, Layout);
  const Loop *Around = Loops.getLoopFor(Kept->getParent());
  if (!Mine || !Its || Mine->first != Its->first || Mine->second != Pairs.Stride ||
      Its->second != Queues->Stride || !Around || Around != Loops.getLoopFor(Create.getParent()))
    return std::nullopt;
  if (auto *Found = dyn_cast<Instruction>(Cq); !Found || Loops.getLoopFor(Found->getParent()) != Around)
    return std::nullopt;
  // The same index, however it is spelled.
  PointerSet A = Where.resolve(Kept->getPointerOperand()), B = Where.resolve(Address);
  if (A[0].Zeroed - Pairs.At != 0 || B[0].Zeroed - Queues->At != 0)
    return std::nullopt;
  return Queues;
}

std::optional<Translator::Slot> Translator::queueArrayOf(const Slot &Pairs, const CallBase &Post,
                                                         const CountedThread &T) {
  PointerSet Found = Where.resolve(Post.getArgOperand(0));
  for (const Pointer &P : Found)
    if (!P.Base->named() || P.Base->Root != Found[0].Base->Root ||
        (P.Base->What == Origin::Kind::Pointee && P.Base->Holder != Pairs.Holder))
      return std::nullopt;
  if (Found.empty())
    return std::nullopt;
  const Origin &Qp = *Found[0].Base;
  if (auto *Create = dyn_cast_or_null<CallBase>(Qp.Root)) {
    const ApiRow *Row = Create->getFunction() == &In.F ? meaning(*Create) : nullptr;
    return Row && Row->What == Api::CreateQp
               ? createdWith(*Create, Pairs, meaning(Post)->What == Api::PostRecv)
               : std::nullopt;
  }
  if (Qp.What != Origin::Kind::Pointee && Qp.What != Origin::Kind::Foreign)
    return std::nullopt;
  // Not seen: of the queues that are polled by index, those in the same structs, or the only ones.
  std::optional<Slot> Beside, Only;
  unsigned Arrays = 0;
  for (const PollSite &Poll : T.Polls) {
    std::optional<Slot> Polled = slotOf(Poll.Call->getArgOperand(0));
    if (!Polled)
      return std::nullopt;
    if (Only && Only->sameArray(*Polled))
      continue;
    ++Arrays, Only = Polled;
    if (Polled->Holder == Pairs.Holder && Polled->Stride == Pairs.Stride)
      Beside = Polled;
  }
  if (Arrays != 1)
    return std::nullopt;
  bool Fits = Beside || (Only->Stride == 8 && Pairs.Stride == 8);
  if (!Fits)
    return std::nullopt;
  remark(
      Post,
      "where " + quoted(Where.nameOf(Qp)) +
          " is created is not seen here; completions of each are taken to arrive at the queue with the same "
          "index",
      false);
  return Only;
}

void Translator::matchFamilies(CountedThread &T) {
  for (PostSite &Post : T.Posts) {
    Api What = meaning(*Post.Call)->What;
    if (What != Api::PostSend && What != Api::PostRecv && What != Api::WrComplete)
      continue;
    std::optional<Slot> Pairs = slotOf(Post.Call->getArgOperand(0));
    if (!Pairs || !onlyByIndex(*Pairs, T))
      continue;
    std::optional<Slot> Queues = queueArrayOf(*Pairs, *Post.Call, T);
    if (!Queues || !onlyByIndex(*Queues, T))
      continue;
    CompletionQueueId Id = Stock.completionQueue(In.Index, "elements of " + Queues->Holder->Key + "+" +
                                                               std::to_string(Queues->At));
    Post.Of = {Id, Pairs->At, Pairs->Stride};
    for (PollSite &Poll : T.Polls)
      if (std::optional<Slot> Polled = slotOf(Poll.Call->getArgOperand(0));
          Polled && Polled->sameArray(*Queues))
        Poll.Of = {Id, Queues->At, Queues->Stride};
  }
}

} // namespace rdma::clang_ir
