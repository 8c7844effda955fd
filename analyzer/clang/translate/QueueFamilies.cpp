// Queue pairs and completion queues kept in arrays: qp[i] and cq[i], or conn[i].qp and conn[i].cq.
//
// Which element a call uses is not known here. That both are of the same index is what the counting works
// with (counts/), so all that is asked here is which array goes with which.
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/translate/Translator.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

struct ArrayBytes {
  std::int64_t Begin, End;
};

/// Where an array of known size ends.
std::int64_t endOf(const DICompositeType &Array, std::int64_t Begin) {
  const std::int64_t Size = sizeOf(&Array).value_or(0);
  return Size > 0 ? Begin + Size : Unbounded;
}

/// Where the array is whose elements are this far apart and that has this byte.
std::optional<ArrayBytes> arrayAt(const Origin &Block, std::int64_t At, std::int64_t Stride) {
  const DIType *Type = strip(Block.Name.Type);
  if (!Type)
    return Block.What == Origin::Kind::Heap && At < Stride ? std::optional(ArrayBytes{0, Unbounded})
                                                           : std::nullopt;
  if (sizeOf(Type) == Stride)
    return ArrayBytes{0, Unbounded};
  for (std::int64_t Begin = 0;;) {
    auto *Composite = dyn_cast_or_null<DICompositeType>(Type);
    if (!Composite)
      return std::nullopt;
    if (Composite->getTag() == dwarf::DW_TAG_array_type)
      return sizeOf(Composite->getBaseType()) == Stride
                 ? std::optional(ArrayBytes{Begin, endOf(*Composite, Begin)})
                 : std::nullopt;
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

} // namespace

std::optional<Translator::Slot> Translator::slotAt(const Value *Address) {
  PointerSet Places = Where.resolve(Address);
  if (Places.size() == 1 && Places[0].exact())
    return slotThrough(Address, Places[0]);
  if (Places.size() != 1 || !Places[0].Base->named() || Places[0].Strides.size() != 1 ||
      Places[0].Strides[0] < 8)
    return std::nullopt;
  std::int64_t Stride = Places[0].Strides[0], At = Places[0].Zeroed;
  std::optional<ArrayBytes> All = arrayAt(*Places[0].Base, At, Stride);
  if (!All || At < All->Begin)
    return std::nullopt;
  return Slot{Places[0].Base, All->Begin + (At - All->Begin) % Stride, Stride, All->End, Address};
}

/// conn[i]->qp, of structs that the thread is given.
std::optional<Translator::Slot> Translator::slotThrough(const Value *Address, const Pointer &Place) {
  if (Place.Base->What != Origin::Kind::Pointee)
    return std::nullopt;
  const Value *Block = withoutFixedSteps(Address);
  std::optional<Slot> Element = Block != Address || Place.Low == 0 ? slotOf(Block) : std::nullopt;
  if (!Element || Element->Through || Element->Stride != 8 || Place.Base->Holder != Element->Holder)
    return std::nullopt;
  Element->Through = Place.Base, Element->Member = Place.Low;
  return Element;
}

std::optional<Translator::Slot> Translator::slotOf(const Value *Loaded) {
  auto *Load = dyn_cast<LoadInst>(Loaded);
  return Load ? slotAt(Load->getPointerOperand()) : std::nullopt;
}

/// May it be what an element of the array points to?
bool Translator::isElement(const Origin &Block, const Slot &Array) {
  if (Array.Through ? Block.Holder == Array.Through && Block.HolderOffset == Array.Member
                    : Block.Holder == Array.Holder && (Block.HolderOffset - Array.At) % Array.Stride == 0)
    return true;
  PointerSet Elements = Where.whatIsFoundAt(Array.pointers().back(), true);
  return any_of(Elements, [&](const Pointer &P) { return P.Base == &Block || !P.Base->named(); });
}

/// Is no element named in another way than by the index?
bool Translator::onlyByIndex(const Slot &Array, const Value *Used) {
  if (std::optional<Slot> Same = slotOf(Used); Same && Same->sameArray(Array))
    return true;
  PointerSet Places = Where.resolve(Used);
  return !Places.empty() &&
         none_of(Places, [&](const Pointer &P) { return !P.Base->named() || isElement(*P.Base, Array); });
}

/// Does nothing else post to the pairs, poll the queues, or report to them?
bool Translator::standsAlone(const Matched &One, const std::vector<Matched> &All, const CountedThread &T) {
  for (const PostSite &Post : T.Posts)
    if (!onlyByIndex(One.Pairs, Post.Call->getArgOperand(0)))
      return false;
  for (const PollSite &Poll : T.Polls)
    if (!onlyByIndex(One.Queues, Poll.Call->getArgOperand(0)))
      return false;
  for (const auto &[Key, Used] : UsedPairs) {
    if (any_of(All, [&, &Qp = *Used.Qp](const Matched &F) {
          return F.Queues.sameArray(One.Queues) && isElement(Qp, F.Pairs);
        }))
      continue;
    bool Guessed = false;
    const Origin *Cq = queueOf(Used, Guessed);
    if (!namedQueue(Used).empty() || (Cq && isElement(*Cq, One.Queues)))
      return false;
  }
  return true;
}

/// What may write to elements of the array, but for null pointers.
std::vector<const Instruction *> Translator::storesTo(const Slot &Array) {
  std::vector<const Instruction *> All;
  const std::vector<Pointer> Elements = Array.pointers();
  for (const Instruction &I : instructions(In.F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
    if (!Store && !Copy && !isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
      continue;
    if (Store && isa<ConstantPointerNull>(Store->getValueOperand()))
      continue;
    std::int64_t Size =
        Store ? In.F.getParent()->getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType())
              : Unbounded;
    const Value *To = Store ? Store->getPointerOperand() : Copy ? Copy->getRawDest() : I.getOperand(0);
    if (any_of(Where.resolve(To), [&](const Pointer &P) {
          return !P.Base->named() || any_of(Elements, [&](const Pointer &Element) {
            return P.Base == Element.Base && mayMeet(P, Size, Element, 8);
          });
        }))
      All.push_back(&I);
  }
  return All;
}

/// May its elements be others behind one of these places than before it: set by another thread, or by a call?
bool Translator::rearranged(const Slot &Array, ArrayRef<const Instruction *> Places) {
  const std::vector<Pointer> Elements = Array.pointers();
  if (any_of(Elements, [&](const Pointer &Element) { return Where.writtenElsewhere(Element, 8); }))
    return true;
  auto leadsThere = [&](const Pointer &P, std::int64_t Size) {
    return P.Base->What == Origin::Kind::Unknown || any_of(Elements, [&](const Pointer &Element) {
             return P.Base == Element.Base && mayMeet(P, Size, Element, 8);
           });
  };
  for (const Instruction &I : instructions(In.F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || isa<IntrinsicInst>(Call) || Call->onlyReadsMemory())
      continue;
    const ApiRow *Row = meaning(*Call);
    if (Row && (Row->What == Api::RegMr || Row->What == Api::CmReg))
      continue; // looks at the address only
    for (unsigned A = 0; A < Call->arg_size(); ++A) {
      const Value *Given = Call->getArgOperand(A);
      if (!Given->getType()->isPointerTy() || Call->onlyReadsMemory(A) || Call->doesNotAccessMemory(A))
        continue;
      PointerSet To = Where.resolve(Given);
      const bool Further = !Row || fillsFurther(*Call, A, *Row);
      const ArgumentUse Use = Row ? useOf(*Call, A, *Row) : ArgumentUse{};
      auto reaches = [&](const Pointer &P) {
        return leadsThere(P, !Further && Use.Writes ? Use.Size : Unbounded);
      };
      if (any_of(Further ? Where.reachable(To) : To, reaches) && anyLeadsTo(Places, *Call))
        return true;
    }
  }
  return false;
}

bool Translator::anyLeadsTo(ArrayRef<const Instruction *> Places, const Instruction &To) {
  return any_of(Places, [&](const Instruction *From) {
    return isPotentiallyReachable(From, &To, nullptr, &Tree, &Loops);
  });
}

/// Which element the address is of, as code in sight computes it.
std::optional<Translator::Index> Translator::indexIn(const Slot &Array, const Value *Address) {
  MapVector<Value *, APInt> Variable;
  APInt Offset(64, 0);
  PointerSet Places = Where.resolve(Address);
  for (; Places.size() == 1 && !Places[0].exact(); Places = Where.resolve(Address)) {
    auto *Gep = dyn_cast<GEPOperator>(Address);
    if (!Gep || !Gep->collectOffset(In.F.getParent()->getDataLayout(), 64, Variable, Offset))
      return std::nullopt;
    Address = Gep->getPointerOperand();
  }
  if (Places.size() != 1 || Places[0].Base != Array.Holder || Variable.size() > 1)
    return std::nullopt;
  const std::int64_t From = Offset.getSExtValue() + Places[0].Low - Array.At;
  Index Found{nullptr, From / Array.Stride};
  for (const auto &[Number, Step] : Variable) {
    auto *Cast = dyn_cast<CastInst>(Number);
    Found.Variable = Cast && isa<SExtInst, ZExtInst>(Cast) ? Cast->getOperand(0) : Number;
    if (Step.getSExtValue() != Array.Stride)
      return std::nullopt;
  }
  return From % Array.Stride == 0 ? std::optional(Found) : std::nullopt;
}

/// Is it another number each time that the instruction is run?
bool Translator::countsRounds(const Value &Number, const Instruction &Run) {
  auto *Phi = dyn_cast<PHINode>(&Number);
  const Loop *L = Phi ? Loops.getLoopFor(Phi->getParent()) : nullptr;
  if (!L || L->getHeader() != Phi->getParent() || L->getParentLoop() || !L->getLoopLatch() ||
      Loops.getLoopFor(Run.getParent()) != L)
    return false;
  auto *Step = dyn_cast<BinaryOperator>(Phi->getIncomingValueForBlock(L->getLoopLatch()));
  auto *By = Step ? dyn_cast<ConstantInt>(Step->getOperand(1)) : nullptr;
  return By && By->isOne() && Step->getOpcode() == Instruction::Add && Step->getOperand(0) == Phi;
}

/// What each element is set to, where that is once and in sight. Null: it may be set in another way.
std::optional<std::vector<Translator::SetElement>> Translator::setOnce(const Slot &Array, Api Creation) {
  std::vector<SetElement> All;
  std::vector<const Instruction *> Stores = storesTo(Array);
  for (const Instruction *I : Stores) {
    auto *Store = dyn_cast<StoreInst>(I);
    auto *Made = Store ? dyn_cast<CallBase>(Store->getValueOperand()) : nullptr;
    const ApiRow *Row = Made ? meaning(*Made) : nullptr;
    std::optional<Index> Place = Store ? indexIn(Array, Store->getPointerOperand()) : std::nullopt;
    if (!Row || Row->What != Creation || !Place ||
        Loops.getLoopFor(Made->getParent()) != Loops.getLoopFor(I->getParent()))
      return std::nullopt;
    const bool Once = Place->Variable ? Stores.size() == 1 && countsRounds(*Place->Variable, *I)
                                      : !Loops.getLoopFor(I->getParent());
    if (!Once || any_of(All, [&](const SetElement &Other) { return Other.Place == *Place; }))
      return std::nullopt;
    All.push_back({Store, Made, *Place});
  }
  return All;
}

/// The queue that the pair is created to report to, where that is what a call returns: as such, or found
/// again in the array where it was stored.
const Value *Translator::givenQueue(const CallBase &Creation, std::int64_t Member) {
  PointerSet Attributes = Where.resolve(attributesOf(Creation));
  if (Attributes.size() != 1 || !Attributes[0].exact())
    return nullptr;
  const Value *Given = Memory.current(Memory.read(moved(Attributes[0], Member), 8, &Creation), &Creation);
  auto *Load = dyn_cast_or_null<LoadInst>(Given);
  PointerSet From = Load ? Where.resolve(Load->getPointerOperand()) : PointerSet{};
  if (From.size() != 1)
    return Given;
  return Memory.current(Memory.read(From[0], 8, Load, Load->getPointerOperand()), Load);
}

/// Is each pair created in sight to report to the queue with its index, which is created for it?
bool Translator::createdTogether(const Slot &Pairs, const Slot &Queues, bool Receives,
                                 const CountedThread &T) {
  std::optional<std::vector<SetElement>> AllPairs = setOnce(Pairs, Api::CreateQp),
                                         AllQueues = setOnce(Queues, Api::CreateCq);
  if (!AllPairs || !AllQueues || AllPairs->empty() || Stock.P.Threads[T.Index].Many)
    return false;
  for (const SetElement &Pair : *AllPairs)
    if (none_of(*AllQueues, [&, Cq = givenQueue(*Pair.Made, Receives ? layout::RecvCq : layout::SendCq)](
                                const SetElement &Queue) {
          return Queue.Made == Cq && Queue.Place == Pair.Place && Tree.dominates(Cq, Pair.Made) &&
                 Loops.getLoopFor(Queue.Set->getParent()) == Loops.getLoopFor(Pair.Set->getParent());
        }))
      return false;
  // Both arrays stay as they are from then on.
  std::vector<const Instruction *> Sets, Uses;
  for (const SetElement &Each : *AllPairs)
    Sets.push_back(Each.Set);
  for (const SetElement &Each : *AllQueues)
    Sets.push_back(Each.Set);
  for (const PostSite &Post : T.Posts)
    Uses.push_back(Post.Call);
  return none_of(Sets, [&](const Instruction *Set) { return anyLeadsTo(Uses, *Set); }) &&
         !rearranged(Pairs, Sets) && !rearranged(Queues, Sets);
}

std::optional<Translator::Slot> Translator::queueArrayOf(const Slot &Pairs, const CallBase &Post,
                                                         const CountedThread &T) {
  // Of the queues that are polled by index, those in the same structs, or the only ones.
  std::optional<Slot> Beside, Only;
  unsigned Arrays = 0;
  for (const PollSite &Poll : T.Polls) {
    std::optional<Slot> Polled = slotOf(Poll.Call->getArgOperand(0));
    if (!Polled)
      return std::nullopt;
    if (Only && Only->sameArray(*Polled))
      continue;
    ++Arrays, Only = Polled;
    if (Polled->Holder == Pairs.Holder && Polled->Stride == Pairs.Stride && Polled->Through == Pairs.Through)
      Beside = Polled;
  }
  if (Arrays != 1)
    return std::nullopt;
  PointerSet Found = Where.resolve(Post.getArgOperand(0));
  const bool Receives = meaning(Post)->What == Api::PostRecv;
  if (!Found.empty() && all_of(Found, [&](const Pointer &P) {
        auto *Made = dyn_cast_or_null<CallBase>(P.Base->Root);
        return Made && Made->getFunction() == &In.F;
      }))
    return !Pairs.Through && !Only->Through && createdTogether(Pairs, *Only, Receives, T) ? Only
                                                                                          : std::nullopt;
  // Those that are created in sight may report to one queue: the array does not say. And what is set here may
  // be the same queue in two elements.
  if (Found.empty() || any_of(Found, [&](const Pointer &P) {
        return P.Base->What != Origin::Kind::Pointee || isa_and_nonnull<CallBase>(P.Base->Root) ||
               P.Base->Holder != Pairs.lastHolder();
      }))
    return std::nullopt;
  if (!storesTo(Pairs).empty() || !storesTo(*Only).empty())
    return std::nullopt;
  return Beside || (Only->Stride == 8 && Pairs.Stride == 8) ? Only : std::nullopt;
}

void Translator::matchFamilies(CountedThread &T) {
  std::vector<Matched> All;
  std::vector<const Instruction *> Calls;
  for (const PostSite &Post : T.Posts)
    Calls.push_back(Post.Call);
  for (const PostSite &Post : T.Posts) {
    Api What = meaning(*Post.Call)->What;
    if (What != Api::PostSend && What != Api::PostRecv && What != Api::WrComplete)
      continue;
    std::optional<Slot> Pairs = slotOf(Post.Call->getArgOperand(0));
    std::optional<Slot> Queues = Pairs ? queueArrayOf(*Pairs, *Post.Call, T) : std::nullopt;
    if (Queues && !rearranged(*Pairs, Calls) && !rearranged(*Queues, Calls))
      All.push_back({&Post, *Pairs, *Queues});
  }
  // What one of them cannot be sure of may be of any.
  if (!all_of(All, [&](const Matched &One) { return standsAlone(One, All, T); }))
    return;
  for (const Matched &One : All) {
    CompletionQueueId Id = Stock.completionQueue(
        In.Index, "elements of " + One.Queues.Holder->Key + "+" + std::to_string(One.Queues.At) +
                      (One.Queues.Through ? "->" + std::to_string(One.Queues.Member) : ""));
    T.Posts[One.Post - T.Posts.data()].Of = {Id, One.Pairs.At, One.Pairs.Stride,
                                             One.Pairs.Through != nullptr};
    if (storesTo(One.Pairs).empty())
      remark(*One.Post->Call,
             {words::QueuesGuessed, Where.nameOf(*Where.resolve(One.Post->Call->getArgOperand(0))[0].Base)},
             false);
    for (PollSite &Poll : T.Polls)
      if (std::optional<Slot> Polled = slotOf(Poll.Call->getArgOperand(0));
          Polled && Polled->sameArray(One.Queues))
        Poll.Of = {Id, One.Queues.At, One.Queues.Stride, One.Queues.Through != nullptr};
  }
}

} // namespace rdma::clang_ir
