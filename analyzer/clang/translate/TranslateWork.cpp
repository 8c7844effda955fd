// Work requests, completions and the fences that rdma-fix inserts.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/translate/FailedCalls.h"
#include "analyzer/clang/translate/Translator.h"

#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

std::optional<Expression> constant(const std::optional<std::uint64_t> &Value) {
  if (!Value)
    return std::nullopt;
  Term T;
  T.Constant = static_cast<std::int64_t>(*Value);
  return Expression{T};
}

} // namespace

/// Puts a post where it is known to have happened. On the way of its error the requests before the bad one
/// were posted: AllButSome.
void Translator::place(const CallBase &Call, const Ways &All, const Ways &AllButSome) {
  int OnZero = successorOnZero(&Call);
  if (OnZero < 0 || !quietUntilEnd(Call))
    return emit(All, Call);
  onEdge(Call.getParent(), OnZero, All, Call);
  if (!AllButSome.empty())
    onEdge(Call.getParent(), 1 - OnZero, AllButSome, Call);
}

/// A result that is joined with others is zero only where these are.
static const Instruction *joinedResult(const Instruction *Result) {
  while (Result->hasOneUse()) {
    auto *Both = dyn_cast<BinaryOperator>(*Result->user_begin());
    if (!Both || Both->getOpcode() != Instruction::Or || Both->getParent() != Result->getParent())
      break;
    Result = Both;
  }
  return Result;
}

/// Puts a wait where it has not failed: it may have waited for nothing where the program sees that.
void Translator::placeWait(const CallBase &Call, Ways All) {
  if (waysWhereFailed(Call).empty())
    return emit(All, Call);
  int OnZero = successorOnZero(joinedResult(&Call));
  if (OnZero >= 0 && quietUntilEnd(Call, true))
    return onEdge(Call.getParent(), OnZero, All, Call);
  All.push_back({});
  emit(All, Call);
}

void Translator::postSend(const CallBase &Call) {
  WorkChain Chain = readChain(Memory, Where, Call.getArgOperand(1), &Call);
  if (!Chain.Whole) {
    Stock.Obscure.insert(In.Index);
    remark(Call, words::ListUnknown, false);
  }
  post(Chain, Call);
}

/// A request that may go to many queue pairs, of memory that may be many: each with each are too many ways.
/// What it may use is still seen by others, and which of it that is counts as not known.
WorkChain Translator::withFewerWays(WorkChain Chain, std::size_t Pairs) {
  auto TooMany = [&](std::size_t Some) { return Some > 1 && Some * Pairs > MostWaysOfAll; };
  std::vector<WorkRequest *> All;
  for (WorkRequest &R : Chain.Requests) {
    All.push_back(&R);
    for (WorkRequest &Form : R.Forms)
      All.push_back(&Form);
  }
  for (WorkRequest *One : All) {
    WorkRequest &R = *One;
    if (TooMany(R.Remote.size()))
      R.Remote.clear();
    if (!R.Segments)
      continue;
    for (Segment &S : *R.Segments) {
      if (!TooMany(S.Address.size()))
        continue;
      for (const Pointer &P : S.Address)
        if (P.Base->named())
          Stock.expose(access(P, Unbounded).Target);
      S.Address.clear();
    }
  }
  return Chain;
}

/// Of a chain, how often it may be one or another: each choice is made with each here, as if none had to do
/// with the others.
static unsigned choicesOf(const WorkChain &Chain) {
  auto isOneOf = [](const auto &Some) { return Some && Some->size() > 1; };
  unsigned Choices = 0;
  for (const WorkRequest &R : Chain.Requests)
    Choices += R.MayBeLast + (R.Forms.empty() ? isOneOf(R.Opcodes) + isOneOf(R.Flags) : 1);
  return Choices;
}

/// What a call posts to the queue pair of its first argument.
void Translator::post(const WorkChain &Posted, const CallBase &Call) {
  std::vector<QueuePairId> Pairs = queuePairs(Call.getArgOperand(0), Call);
  bool ByList = meaning(Call)->What == Api::PostSend;
  notePost(Call, Posted.Requests, Pairs, ByList ? Where.resolve(Call.getArgOperand(1)) : PointerSet{},
           Posted.Whole, false);
  const WorkChain Chain = withFewerWays(Posted, Pairs.size());
  if (choicesOf(Chain) > 1)
    doubt(Call, words::WaysLost);
  Ways All, Cut;
  for (QueuePairId Pair : Pairs) {
    Ways OfPair{{}};
    for (const WorkRequest &R : Chain.Requests) {
      if (Chain.Requests.size() > 1)
        Cut.insert(Cut.end(), OfPair.begin(), OfPair.end());
      bool Last = &R == &Chain.Requests.back();
      Ways Longer;
      for (const Way &Before : OfPair)
        for (const Way &Next : requestWays(R, Call, Pair)) {
          Way Both = Before;
          Both.insert(Both.end(), Next.begin(), Next.end());
          Longer.push_back(std::move(Both));
        }
      OfPair = std::move(Longer);
      if (OfPair.size() > MostWays) {
        tooManyWays(Call);
        OfPair.resize(MostWays);
      }
      if (R.MayBeLast && !Last)
        All.insert(All.end(), OfPair.begin(), OfPair.end());
    }
    All.insert(All.end(), OfPair.begin(), OfPair.end());
  }
  place(Call, All, Cut);
}

Ways Translator::requestWays(const WorkRequest &R, const CallBase &Call, QueuePairId Pair) {
  if (!R.Forms.empty()) {
    Ways OfForms;
    for (const WorkRequest &Form : R.Forms)
      for (Way &W : requestWays(Form, Call, Pair))
        OfForms.push_back(std::move(W));
    return OfForms;
  }
  std::vector<std::uint64_t> Opcodes =
      R.Opcodes.value_or(std::vector<std::uint64_t>{WrRead, WrWrite, WrCompareSwap});
  if (!R.Opcodes) {
    Stock.Obscure.insert(In.Index);
    remark(Call, words::OpcodeUnknown, true);
    doubt(Call, words::OpcodeUnknown);
  }
  // A request that may or may not ask for a completion, or wait for the READs before it, is both.
  std::vector<std::uint64_t> Flags = R.Flags.value_or(std::vector<std::uint64_t>{0, SendSignaled});
  if (!R.Flags) {
    remark(Call, words::FlagsUnknown, true);
    doubt(Call, words::FlagsUnknown);
  }
  Ways All;
  for (std::uint64_t Opcode : Opcodes)
    for (std::uint64_t F : Flags)
      for (Way &W : segmentWays(R, Opcode, F, Call, Pair))
        All.push_back(std::move(W));
  return All;
}

void Translator::tooManyWays(const CallBase &Call) {
  Stock.Obscure.insert(In.Index);
  remark(Call, {words::ManyWays, MostWays}, false);
  doubt(Call, words::WaysLost);
}

Operation Translator::operation(std::uint64_t Opcode, std::uint64_t Flags, const WorkRequest &R) {
  Operation Op;
  switch (Opcode) {
  case WrRead:
    Op.Kind = Get;
    break;
  case WrCompareSwap:
    Op.Kind = RemoteCas;
    Op.Value = constant(R.CompareAdd);
    Op.Desired = constant(R.Swap);
    break;
  case WrFetchAdd:
    Op.Kind = RemoteFaa;
    Op.Value = constant(R.CompareAdd);
    break;
  default:
    Op.Kind = Put;
    Op.Inline = Flags & SendInline;
  }
  Op.Fenced = Flags & SendFence;
  return Op;
}

/// Every alternative of every scatter-gather entry. A request of several entries is one operation for each,
/// and only the last one leaves a completion.
Ways Translator::segmentWays(const WorkRequest &R, std::uint64_t Opcode, std::optional<std::uint64_t> Flags,
                             const CallBase &Call, QueuePairId Pair) {
  if (Opcode > WrFetchAdd) {
    remark(Call, words::OtherRequest, false);
    Stock.Obscure.insert(In.Index);
    return {{}};
  }
  bool Sends = Opcode == WrSend || Opcode == WrSendWithImm;
  if (Sends)
    noteMessage(Call, Pair, words::SendUnmatched);
  if (Opcode == WrWriteWithImm)
    noteMessage(Call, Pair, words::ImmediateUnmatched);
  NodeId Target = Stock.P.QueuePairs[Pair].Target;
  bool SignalsAll = false;
  for (const auto &[Key, Used] : UsedPairs)
    if (std::find(Used.Pairs.begin(), Used.Pairs.end(), Pair) != Used.Pairs.end()) {
      SignalsAll = signalsAll(*Used.Qp).value_or(false);
      const_cast<UsedPair &>(Used).NeedsSignalAll |= !(*Flags & SendSignaled);
    }
  std::vector<Segment> Segments = R.Segments.value_or(std::vector<Segment>{Segment{}});
  if (!R.Segments) {
    remark(Call, words::BuffersUnknown, false);
    doubt(Call, words::BuffersUnknown);
  }
  Ways All{{}};
  std::int64_t Before = 0;
  for (std::size_t I = 0; I < Segments.size() || (I == 0 && Segments.empty()); ++I) {
    Operation Op = operation(Opcode, *Flags, R);
    Op.Pair = Pair;
    Op.Unsignaled = I + 1 < Segments.size() || !((*Flags & SendSignaled) || SignalsAll);
    Op.Fenced &= I == 0;
    if ((Sends || Opcode == WrWriteWithImm) && (I + 1 >= Segments.size()))
      Op.Heard = Stock.workId(In.Entry + ":heard" + std::to_string(Pair));
    std::optional<std::int64_t> Length = Segments.empty() ? 0 : Segments[I].Length;
    std::vector<Local> Locals;
    std::vector<Remote> Remotes;
    // A READ of nothing reads nothing back: no WRITE before it is in memory for that.
    const bool ReadsNothing = Opcode == WrRead && Length == 0;
    if (ReadsNothing)
      Op.Kind = Put;
    if (Length == 0 || Segments.empty())
      Locals = {{{Stock.fresh(In.Home)}}};
    else
      Locals = locals(Segments[I], Call);
    if (Length == 0 || Sends)
      Remotes = {{{Sends ? Stock.mailbox(Target, In.Index) : Stock.fresh(Target)}}};
    else
      Remotes = remotes(R, Segments[I].Most, Pair, Call);
    // The entries of one request lie one behind the other on the far side.
    Ways Longer;
    if (Opcode == WrRead && !Length && Segments.size() == 1 &&
        Segments[I].MayBeEmpty) { // which may be nothing
      Operation Empty = Op;
      Empty.Kind = Put;
      Empty.Local = {Stock.fresh(In.Home)};
      Empty.Remote = {Stock.fresh(Target)};
      Longer.push_back({Empty});
    }
    for (const Way &W : All)
      for (const Local &From : Locals)
        for (auto [Remote, Form] : Remotes) {
          if (I > 0 && !Remote.whole())
            Before == Unbounded ? (void)(Remote = {Remote.Target})
                                : (void)(Remote.Begin += Before, Remote.End += Before);
          Way Next = W;
          Next.push_back(Op);
          Next.back().Local = From.At;
          Next.back().OneOf = From.OneOf;
          Next.back().Remote = Remote;
          if (Form.Sum)
            Next.back().RemoteAt = RemoteForms.try_emplace({Form.Sum, I}, RemoteForms.size()).first->second;
          Next.back().RemoteMoves = Form.Moves;
          Longer.push_back(std::move(Next));
        }
    All = std::move(Longer);
    Before = Length && Before != Unbounded ? Before + *Length : Unbounded;
    if (All.size() > MostWays) {
      tooManyWays(Call);
      All.resize(MostWays);
    }
  }
  return All;
}

std::vector<Translator::Local> Translator::locals(const Segment &S, const CallBase &Call) {
  std::vector<Local> All;
  const FromMemory From = S.Stored ? readFromMemory(S.Stored, S.Address) : FromMemory();
  for (const Pointer &P : S.Address)
    if (P.Base->What == Origin::Kind::Foreign || isLibraryVariable(P.Base->Root))
      remark(Call, words::BufferOfLibrary, false);
  // No memory is there: it lies where its region, which may count from zero, has been told that it does.
  auto isNowhere = [](const Pointer &P) { return P.Base->What == Origin::Kind::Null; };
  const bool Told = all_of(S.Address, isNowhere);
  for (const Pointer &P : S.Address) {
    bool Known = P.Base->named() && P.Base->What != Origin::Kind::Foreign && !Told;
    Access A = Known ? access(P, S.Most.value_or(Unbounded)) : Access{Stock.nameless(In.Home)};
    Stock.expose(A.Target);
    if (!From.Anyway.contains(P.Base))
      All.push_back({A, From.numberOf(P.Base)});
  }
  if (All.empty())
    All.push_back({{Stock.nameless(In.Home)}});
  for (const Local &One : All)
    if (Stock.P.Objects[One.At.Target].Anything)
      exposeTaken();
  return All;
}

/// The NIC is given memory of which nothing is known: it may be whatever has had its address taken.
void Translator::exposeTaken() {
  if (std::exchange(AllExposed, true))
    return;
  for (const Origin *Block : Where.addressTaken())
    Stock.expose(Stock.object(In.Home, *Block));
}

/// rdma_wait(qp) and rdma_flush(qp) of rdma/order.h: a WRITE or a READ of nothing that matters, waited for;
/// rdma_wait_all_but(qp, count) may leave its last ones out: how many it posts is what it counts.
void Translator::waitQp(const CallBase &Call, bool Flush) {
  std::vector<QueuePairId> Pairs = queuePairs(Call.getArgOperand(0), Call);
  Ways All;
  for (QueuePairId Pair : Pairs) {
    Operation Post, Completion;
    Post.Kind = Flush ? Get : Put;
    Post.Pair = Pair;
    Post.Local = {Stock.fresh(In.Home)};
    Post.Remote = {Stock.fresh(Stock.P.QueuePairs[Pair].Target)};
    const Value *Count = leftOut(Call);
    // All calls for a queue pair that leave some out count as one kind.
    Post.Id = Completion.Id =
        Stock.workId(In.Entry + ":" + (Count ? "last" + std::to_string(Pair) : std::to_string(Waits++)));
    Completion.Kind = Wait;
    if (Count) {
      auto *Known = dyn_cast<ConstantInt>(Count);
      // A negative number is none; of one that is not known, nothing is waited for that is certain.
      Completion.Constant = Known ? std::max<std::int64_t>(Known->getSExtValue(), 0) : INT32_MAX;
    }
    All.push_back({Post, Completion});
  }
  placeWait(Call, std::move(All));
}

CompletionQueueId Translator::poll(const CallBase &Call) {
  if (auto Known = QueueOfPoll.find(&Call); Known != QueueOfPoll.end())
    return Known->second;
  CompletionQueueId &Queue = QueueOfPoll[&Call];
  Queue = None;
  const Origin *Cq = nullptr;
  if (Api What = meaning(Call)->What; What == Api::CmPoll || What == Api::CmPollRecv) {
    if (const Origin *Qp = queuePairOf(Call.getArgOperand(0), Call)) {
      std::int64_t Member = What == Api::CmPoll ? layout::QpSendCq : layout::QpRecvCq;
      Pointer At{Qp, Member, Member, Member};
      PointerSet Found = Where.whatIsFoundAt(At, true);
      Cq = Found.size() == 1 ? Found[0].Base : nullptr;
    }
  } else if (PointerSet Found = Where.resolve(Call.getArgOperand(0)); Found.size() == 1) {
    Cq = Found[0].Base;
  }
  if (!Cq || !Cq->named() || Cq->Name.Path.find("[*]") != std::string::npos) {
    Stock.Seen.Queues.addUnknown(In.Entry, siteOf(Call.getDebugLoc()));
    return None;
  }
  UsedQueues.try_emplace(Cq->Key, UsedQueue{Cq, &Call});
  CqOfPoll[&Call] = Cq;
  Stock.Seen.Queues.add(In.Entry, Where.nameOf(*Cq), siteOf(Call.getDebugLoc()));
  return Queue = Stock.completionQueue(In.Index, Cq->Key);
}

} // namespace rdma::clang_ir
