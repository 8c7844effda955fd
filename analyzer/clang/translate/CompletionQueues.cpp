// Which completion queue a queue pair's completions arrive at.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/translate/Translator.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr std::uint64_t ReliableConnection = 2; // IBV_QPT_RC

/// The first pointer member of this type in a struct: -1 for none, -2 for several.
std::int64_t memberOfType(const DIType *Struct, StringRef Pointee) {
  auto *Composite = dyn_cast_or_null<DICompositeType>(strip(Struct));
  std::int64_t Found = -1;
  for (const DINode *Element : Composite ? Composite->getElements() : DINodeArray()) {
    auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
    const DIType *Target = Member && !Member->isStaticMember() ? pointee(Member->getBaseType()) : nullptr;
    if (Target && Target->getName() == Pointee)
      Found = Found == -1 ? static_cast<std::int64_t>(Member->getOffsetInBits() / 8) : -2;
  }
  return Found;
}

/// It creates the identifier and its queue pair; or one that listens, and those that rdma_get_request gives
/// have a queue pair like it.
constexpr std::string_view CreateEndpoint = "rdma_create_ep";

/// Does anything in the sources create queue pairs? Then what it creates them with counts, not where they
/// are.
bool createsPairs(const Module &M) {
  return any_of(M, [](const Function &F) {
    const ApiRow *Row = F.isDeclaration() && !F.use_empty() ? rowOf(F) : nullptr;
    return Row && (Row->What == Api::CreateQp || Row->What == Api::CmCreateQp || Row->Name == CreateEndpoint);
  });
}

/// Where the completion queue is that goes with a queue pair: in the innermost struct around it that has one.
struct InStruct {
  std::int64_t At;   ///< in the block
  std::int64_t Step; ///< the size of an element of the array that holds the struct; 0: no array
};

/// Last: the last byte of the block that is known to be used.
std::optional<InStruct> queueBeside(const Origin &Block, std::int64_t Offset, std::int64_t Last) {
  std::optional<InStruct> Found;
  const DIType *Type = strip(Block.Name.Type);
  const DIType *First = Type;
  std::int64_t Base = 0, Step = 0;
  while (auto *Whole = dyn_cast_or_null<DICompositeType>(Type)) {
    bool IsArray = Whole->getTag() == dwarf::DW_TAG_array_type;
    if (Whole->getTag() == dwarf::DW_TAG_union_type)
      return std::nullopt;
    // What a pointer leads to may be the first of several.
    const DIType *Element = IsArray ? strip(Whole->getBaseType()) : Whole;
    std::int64_t Size = Element ? Element->getSizeInBits() / 8 : 0;
    if (Size <= 0)
      return std::nullopt;
    if (IsArray || (Type == First && Last >= Size)) {
      Step = Size;
      Base += (Offset - Base) / Size * Size;
      if (IsArray) {
        Type = Element;
        continue;
      }
    }
    if (std::int64_t Queue = memberOfType(Whole, "ibv_cq"); Queue >= 0)
      Found = InStruct{Base + Queue, Step};
    Type = nullptr;
    for (const DINode *Part : Whole->getElements())
      if (auto *Member = dyn_cast_or_null<DIDerivedType>(Part); Member && !Member->isStaticMember()) {
        std::int64_t Begin = Base + static_cast<std::int64_t>(Member->getOffsetInBits() / 8);
        if (Begin <= Offset && Offset < Begin + static_cast<std::int64_t>(Member->getSizeInBits() / 8)) {
          Base = Begin;
          Type = strip(Member->getBaseType());
          break;
        }
      }
  }
  return Found;
}

} // namespace

/// The call that creates the queue pair: its own, or rdma_create_qp on the identifier that holds it.
std::optional<Translator::Creation> Translator::creation(const Origin &Qp) {
  if (auto *Call = dyn_cast_or_null<CallBase>(Qp.Root)) {
    const ApiRow *Row = rowOf(*Call);
    if (!Row || Row->What != Api::CreateQp)
      return std::nullopt;
    Creator *By = In.Process ? In.Process->of(Qp) : nullptr;
    if (By ? &By->Where == &Where : !In.Process && Call->getFunction() == &In.F)
      return Creation{Call, &Where, &Memory};
    return By ? std::optional(Creation{Call, &By->Where, &By->Memory, true, Qp.Many || !By->Once})
              : std::nullopt;
  }
  if (!Qp.Holder)
    return std::nullopt;
  for (const Instruction &I : instructions(In.F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call ? meaning(*Call) : nullptr;
    if (Row && Row->What == Api::CmCreateQp)
      for (const Pointer &Id : Where.resolve(Call->getArgOperand(0)))
        if (Id.Base == Qp.Holder)
          return Creation{Call, &Where, &Memory};
  }
  const CallBase *Call = endpoint(*Qp.Holder);
  return Call ? std::optional(Creation{Call, &Where, &Memory}) : std::nullopt;
}

/// The call of rdma_create_ep that gives the identifier its queue pair.
const CallBase *Translator::endpoint(const Origin &Id) {
  auto *Call = dyn_cast_or_null<CallBase>(Id.Root);
  const ApiRow *Row = Call && Call->getFunction() == &In.F ? meaning(*Call) : nullptr;
  if (!Row)
    return nullptr;
  if (Row->Name == CreateEndpoint)
    return isa<ConstantPointerNull>(attributesOf(*Call)) ? nullptr : Call;
  PointerSet Listens = Row->Name == "rdma_get_request" ? Where.resolve(Call->getArgOperand(0)) : PointerSet();
  return Listens.size() == 1 && Listens[0].Base != &Id ? endpoint(*Listens[0].Base) : nullptr;
}

const Value *Translator::attributesOf(const CallBase &Creation) {
  const ApiRow &Row = *meaning(Creation);
  return Creation.getArgOperand(Row.Name == CreateEndpoint ? 3 : Row.What == Api::CmCreateQp ? 2 : 1);
}

/// A number that the queue pair is created with, where that is seen and the same on every way.
std::optional<std::uint64_t> Translator::attribute(const Origin &Qp, std::int64_t Offset) {
  const std::optional<Creation> Created = creation(Qp);
  if (!Created)
    return std::nullopt;
  Contents All;
  for (Pointer Attribute : Created->Where->resolve(attributesOf(*Created->Call))) {
    Attribute.shift(Offset, Offset);
    for (const Content &Held : Created->Memory->read(Attribute, 4, Created->Call))
      All.push_back(Held);
  }
  return single(Created->Memory->constants(All));
}

std::optional<bool> Translator::signalsAll(const Origin &Qp) {
  if (auto Value = attribute(Qp, layout::SqSigAll))
    return *Value != 0;
  std::optional<CompletionFacts> Facts = Stock.T.completions(In.Entry, Where.nameOf(Qp));
  return Facts ? Facts->SqSigAll : std::nullopt;
}

/// The queue that it is created to report to, where that is one for certain.
const Origin *Translator::createdQueue(const Origin &Qp, bool Receives) {
  const std::int64_t InAttribute = Receives ? layout::RecvCq : layout::SendCq;
  const std::optional<Creation> Created = creation(Qp);
  const Origin *Only = nullptr;
  for (const Pointer &Attribute :
       Created ? Created->Where->resolve(attributesOf(*Created->Call)) : PointerSet{}) {
    Contents Held = Created->Memory->read(moved(Attribute, InAttribute), 8, Created->Call);
    if (Held.size() != 1 || Held[0].What != Content::Kind::Value)
      return nullptr;
    PointerSet Cq = Created->Where->resolve(Held[0].V);
    if (Cq.size() != 1 || !Cq[0].Base->named() || (Only && Only != Cq[0].Base))
      return nullptr;
    Only = Cq[0].Base;
  }
  return Only && Created->Elsewhere && (Created->OneOfSeveral || Only->Many) ? nullptr : Only;
}

/// The queue as far as the program shows it. Guessed: only the names say so.
const Origin *Translator::queueOf(const UsedPair &Pair, bool &Guessed) {
  const Origin &Qp = *Pair.Qp;
  Guessed = false;
  const std::int64_t InPair = Pair.Receives ? layout::QpRecvCq : layout::QpSendCq;
  if (const Origin *Created = createdQueue(Qp, Pair.Receives))
    return Created;
  // Polled as qp->send_cq.
  for (const auto &[Key, Used] : UsedQueues)
    if (Used.Cq->Holder == &Qp && Used.Cq->HolderOffset == InPair)
      return Used.Cq;
  std::optional<CompletionFacts> Facts = Stock.T.completions(In.Entry, Where.nameOf(Qp));
  const std::string Named = Facts ? Facts->queue(Pair.Receives) : "";
  if (!Named.empty() && isOpen(Named))
    return nullptr; // one of several
  if (!Named.empty())
    for (const auto &[Key, Used] : UsedQueues)
      if (pathMatches(Named, Where.nameOf(*Used.Cq)))
        return Used.Cq;
  Guessed = true;
  if (const Origin *Same = sameIndex(Pair))
    return Same;
  if (const Origin *Own = inSameElement(Qp))
    return Own;
  // Each element of an array may have its own.
  if (Qp.Holder && Qp.Many && queueBeside(*Qp.Holder, Qp.HolderOffset, Qp.HolderOffset))
    return nullptr;
  // In the same struct, which has one completion queue only.
  std::set<const Origin *> Beside;
  for (const auto &[Key, Used] : UsedQueues)
    if (Qp.Holder && Used.Cq->Holder == Qp.Holder)
      Beside.insert(Used.Cq);
  if (Beside.size() == 1)
    return *Beside.begin();
  if (Qp.Holder && Qp.Holder->Name.Type && memberOfType(Qp.Holder->Name.Type, "ibv_cq") >= 0)
    for (const auto &[Key, Used] : UsedQueues)
      if (Used.Cq->Holder)
        return nullptr;                       // its own queue is another one than those polled
  if (UsedQueues.empty() && !Spawned.empty()) // which may poll
    return besideIt(Qp, Where);
  return UsedQueues.size() == 1 ? UsedQueues.begin()->second.Cq : nullptr;
}

/// qp[2] goes with cq[2], where each of several queue pairs of an array has a queue at its index in another.
const Origin *Translator::sameIndex(const UsedPair &Pair) {
  const Origin *Found = nullptr, *Array = nullptr;
  for (const auto &[Key, Used] : UsedQueues) {
    if (!Used.Cq->Holder || Used.Cq->What != Origin::Kind::Pointee || Used.Cq->Many ||
        (Array && Used.Cq->Holder != Array))
      return nullptr;
    Array = Used.Cq->Holder;
    if (Used.Cq->HolderOffset == Pair.Qp->HolderOffset)
      Found = Used.Cq;
  }
  std::set<const Origin *> Pairs;
  for (const auto &[Key, Used] : UsedPairs)
    if (Used.Receives == Pair.Receives) {
      if (!Used.Qp->Holder || Used.Qp->Many || Used.Qp->Holder != Pair.Qp->Holder)
        return nullptr;
      Pairs.insert(Used.Qp);
    }
  auto isArray = [&](const Origin &Block) {
    const DIType *Type = strip(Block.Name.Type);
    auto *Whole = dyn_cast_or_null<DICompositeType>(Type);
    return (Whole && Whole->getTag() == dwarf::DW_TAG_array_type && !createsPairs(*In.F.getParent())) ||
           (Type && isa<DIDerivedType>(Type) && Block.Indirect); // what a pointer to pointers leads to
  };
  bool Parallel = Array && Pair.Qp->Holder != Array && Pairs.size() == UsedQueues.size() && isArray(*Array) &&
                  isArray(*Pair.Qp->Holder);
  return Parallel && Pairs.size() > 1 ? Found : nullptr;
}

/// Of an array of structs whose completion queues are polled each by its place: the one in the same element,
/// whether it is polled or not.
const Origin *Translator::inSameElement(const Origin &Qp) {
  if (!Qp.Holder || Qp.Many || createsPairs(*In.F.getParent()))
    return nullptr;
  std::int64_t Last = Qp.HolderOffset;
  for (const auto &[Key, Used] : UsedPairs)
    if (Used.Qp->Holder == Qp.Holder && !Used.Qp->Many)
      Last = std::max(Last, Used.Qp->HolderOffset);
  std::optional<InStruct> Own = queueBeside(*Qp.Holder, Qp.HolderOffset, Last);
  if (!Own)
    return nullptr;
  if (Own->Step == 0)
    return inSameMember(Qp, Own->At);
  const Origin *Found = nullptr;
  bool ByPlace = false;
  for (const auto &[Key, Used] : UsedQueues) {
    if (Used.Cq->Holder != Qp.Holder)
      continue;
    if (Used.Cq->Many)
      return nullptr;
    ByPlace |= (Used.Cq->HolderOffset - Own->At) % Own->Step == 0;
    if (Used.Cq->HolderOffset == Own->At)
      Found = Used.Cq;
  }
  if (Found || !ByPlace)
    return Found;
  PointerSet There = Where.whatIsFoundAt({Qp.Holder, Own->At, Own->At, Own->At, {}}, true);
  return There.size() == 1 && There[0].Base->named() && !There[0].Base->Many ? There[0].Base : nullptr;
}

/// Of a struct with members that are connections: the queue in the same member. Where another member's queue
/// is polled for what was posted there, it is that one whether it is polled or not.
const Origin *Translator::inSameMember(const Origin &Qp, std::int64_t At) {
  auto polled = [&](std::int64_t Offset) -> const Origin * {
    for (const auto &[Key, Used] : UsedQueues)
      if (Used.Cq->Holder == Qp.Holder && Used.Cq->HolderOffset == Offset)
        return Used.Cq->Many ? nullptr : Used.Cq;
    return nullptr;
  };
  if (const Origin *Own = polled(At))
    return Own;
  bool ByMember = any_of(UsedPairs, [&](const auto &Pair) {
    const Origin &Other = *Pair.second.Qp;
    if (Other.Holder != Qp.Holder || Other.HolderOffset == Qp.HolderOffset || Other.Many)
      return false;
    std::optional<InStruct> Its = queueBeside(*Other.Holder, Other.HolderOffset, Other.HolderOffset);
    return Its && Its->At != At && polled(Its->At);
  });
  if (!ByMember)
    return nullptr;
  PointerSet There = Where.whatIsFoundAt({Qp.Holder, At, At, At, {}}, true);
  return There.size() == 1 && There[0].Base->named() && !There[0].Base->Many ? There[0].Base : nullptr;
}

/// The completion queue in the same struct, where there is one only: a thread that is started here may poll
/// it.
const Origin *Translator::besideIt(const Origin &Qp, Pointers &Where) {
  if (!Qp.Holder || Qp.Many || !Qp.Holder->Name.Type)
    return nullptr;
  std::int64_t Mine = memberOfType(Qp.Holder->Name.Type, "ibv_qp"),
               Its = memberOfType(Qp.Holder->Name.Type, "ibv_cq");
  if (Mine < 0 || Its < 0)
    return nullptr;
  std::int64_t Offset = Qp.HolderOffset - Mine + Its;
  PointerSet Found = Where.whatIsFoundAt({Qp.Holder, Offset, Offset, Offset, {}}, true);
  return Found.size() == 1 && Found[0].Base->named() && !Found[0].Base->Many ? Found[0].Base : nullptr;
}

/// Posts of a thread that polls nothing: another thread may find their completions in the queue beside.
void Translator::matchUnpolled(ArrayRef<CountedThread *> Threads, Inventory &Stock) {
  for (const CountedThread *T : Threads)
    for (const PostSite &Post : T->Posts)
      for (std::size_t I = 0; T->Polls.empty() && I < Post.Pairs.size() && I < Post.Origins.size(); ++I)
        if (QueuePair &Pair = Stock.P.QueuePairs[Post.Pairs[I]]; Pair.Queue == None)
          if (const Origin *Beside = besideIt(*Post.Origins[I], T->Where))
            Pair.Queue = Stock.completionQueue(T->Index, Beside->Key);
}

/// Whether a wait of the function leaves some requests out.
static bool leavesSomeOut(const Function &F) {
  return any_of(instructions(F), [](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
    return Row && Row->What == Api::WaitQp && leftOut(*Call);
  });
}

/// Where nobody polls, what is posted to a queue pair can be counted for the waits that leave some of it out
/// as if it had a queue of its own.
void Translator::matchUncollected(ArrayRef<CountedThread *> Threads, Inventory &Stock) {
  const CountedThread *Poster = nullptr;
  for (const CountedThread *T : Threads) {
    if (!T->Polls.empty() || (Poster && !T->Posts.empty()))
      return;
    Poster = T->Posts.empty() ? Poster : T;
  }
  if (!Poster || !leavesSomeOut(Poster->F))
    return;
  for (const PostSite &Post : Poster->Posts)
    for (QueuePairId Id : Post.Pairs)
      if (QueuePair &Pair = Stock.P.QueuePairs[Id]; Pair.Queue == None && Pair.NoQueue == None)
        Pair.Queue = Stock.completionQueue(Poster->Index, "of pair " + std::to_string(Id));
}

void Translator::matchOnlyQueue(MutableArrayRef<CountedThread *> Threads, Inventory &Stock, RemarkLog &Log) {
  const Origin *Only = nullptr;
  for (const CountedThread *T : Threads)
    for (const PollSite &Poll : T->Polls) {
      if (!Poll.Cq || (Only && Only != Poll.Cq))
        return;
      Only = Poll.Cq;
    }
  if (!Only || Only->Many)
    return;
  for (const CountedThread *T : Threads) {
    if (!T->Polls.empty())
      continue;
    for (const PostSite &Post : T->Posts)
      for (std::size_t I = 0; I < Post.Pairs.size() && I < Post.Origins.size(); ++I)
        if (QueuePair &Pair = Stock.P.QueuePairs[Post.Pairs[I]];
            Pair.Queue == None && Post.Origins[I]->What == Origin::Kind::Pointee) {
          Pair.Queue = Stock.completionQueue(T->Index, Only->Key);
          Log.add(siteOf(Post.Call->getDebugLoc()),
                  {words::QueueGuessed, Post.Origins[I]->Name.Path, Only->Name.Path}, false);
        }
  }
}

/// The queue that the topology names, where the source does not show another one and nobody here polls it.
std::string Translator::namedQueue(const UsedPair &Pair) {
  std::optional<CompletionFacts> Facts = Stock.T.completions(In.Entry, Where.nameOf(*Pair.Qp));
  const std::string Named = Facts ? Facts->queue(Pair.Receives) : "";
  if (Named.empty() || (isOpen(Named) && !UsedQueues.empty()))
    return "";
  bool Guessed = false;
  const Origin *Cq = queueOf(Pair, Guessed);
  return !Cq || Guessed ? Named : "";
}

/// Of an endpoint the type is that of its address.
void Translator::checkType(const Origin &Qp) {
  const std::optional<Creation> Created = creation(Qp);
  if (!Created || meaning(*Created->Call)->Name == CreateEndpoint)
    return;
  const std::optional<std::uint64_t> Type = attribute(Qp, layout::QpType);
  if (Type != ReliableConnection)
    remark(*Created->Call, {Type ? words::NotReliable : words::MaybeNotReliable, Qp.Name.Path}, false);
}

void Translator::matchQueues() {
  for (const auto &[Key, Used] : UsedPairs) {
    if (Used.NeedsSignalAll && creation(*Used.Qp) && !signalsAll(*Used.Qp))
      remark(*creation(*Used.Qp)->Call, {words::SignalAllUnknown, Used.Qp->Name.Path}, false);
    checkType(*Used.Qp);
    bool Guessed = false;
    if (std::string Named = namedQueue(Used); !Named.empty()) {
      const Origin *Beside = besideIt(*Used.Qp, Where);
      bool Is = Beside && pathMatches(Named, Where.nameOf(*Beside)); // and others may poll it
      for (QueuePairId Pair : Used.Pairs)
        Stock.P.QueuePairs[Pair].Queue = Stock.completionQueue(In.Index, Is ? Beside->Key : "named " + Named);
      continue;
    }
    const Origin *Cq = queueOf(Used, Guessed);
    const std::string &Qp = Used.Qp->Name.Path;
    bool Unsignaled = Used.NeedsSignalAll && !signalsAll(*Used.Qp);
    if (Cq && Cq->Name.Path.find("[*]") != std::string::npos)
      Cq = nullptr;
    if (Cq)
      for (QueuePairId Pair : Used.Pairs)
        Stock.P.QueuePairs[Pair].Queue = Stock.completionQueue(In.Index, Cq->Key);
    if (Cq && Guessed) {
      remark(*Used.Call, {Unsignaled ? words::QueueGuessedSignaled : words::QueueGuessed, Qp, Cq->Name.Path},
             false);
    } else if (!Cq && !UsedQueues.empty()) {
      const Said Text{words::ReportsUnknown, Qp};
      remark(*Used.Call, Text, true);
      for (QueuePairId Pair : Used.Pairs)
        Stock.P.QueuePairs[Pair].NoQueue =
            Stock.lose({siteOf(Used.Call->getDebugLoc()),
                        Text,
                        {words::TellReports, Used.Receives ? "recv_cq" : "send_cq"}});
    } else if (Unsignaled && !creation(*Used.Qp) && !UsedQueues.empty()) {
      remark(*Used.Call, {words::OnlySignaled, Qp}, false);
    }
  }
}

} // namespace rdma::clang_ir
