// Work requests, completions and the fences that rdma-fix inserts.
#include "analyzer/clang/translate/Translator.h"

#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

std::string quoted(const std::string &Path) { return "'" + Path + "'"; }

std::optional<Expression> constant(const std::optional<std::uint64_t> &Value) {
  if (!Value)
    return std::nullopt;
  Term T;
  T.Constant = static_cast<std::int64_t>(*Value);
  return Expression{T};
}

} // namespace

/// One way for each node that the queue pair may lead to. An element of an array that is not known, and what
/// is found in a list, is one of several queue pairs: two are enough to tell two requests apart.
std::vector<QueuePairId> Translator::pairsTo(const Origin &Qp, const CallBase &Call,
                                             const std::string &Suffix) {
  const std::string Path = Where.nameOf(Qp);
  bool Several = Qp.Many || Path.find("[*]") != std::string::npos;
  std::vector<NodeId> Targets, Others;
  if (auto Peer = Stock.T.peer(In.Entry, Path)) {
    const std::vector<NodeId> &Copies = Stock.copies(*Peer);
    // A copy that stands for more of its kind reaches others of them too.
    bool Among = Stock.P.Threads[In.Index].Many;
    for (NodeId N : Copies)
      if (N != In.Home || Copies.size() == 1 || Among)
        Targets.push_back(N);
    if (Targets.size() > 1)
      remark(Call, quoted(Path) + " may lead to any of the nodes " + quoted(*Peer), true);
    if (Several)
      Others = Targets;
  } else {
    if (Stock.T.given())
      remark(Call,
             "the topology does not say which node is at the other end of " + quoted(Path) + " of '" +
                 In.Entry + "'; taken as a node of its own",
             false);
    Targets.push_back(Stock.peerOf(In.Home, Qp.Key, Path));
    if (Several)
      Others.push_back(Stock.peerOf(In.Home, Qp.Key + "'", Path + " (another)"));
  }
  std::vector<QueuePairId> Pairs;
  for (NodeId Target : Targets)
    Pairs.push_back(Stock.queuePair(In.Index, Path + Suffix, Target));
  for (NodeId Target : Others)
    Pairs.push_back(Stock.queuePair(In.Index, Path + Suffix + " (another)", Target));
  return Pairs;
}

/// The queue pairs that the thread names, before any of them is used: `rail[i]` may be `rail[0]`.
void Translator::findPairs() {
  for (const Instruction &I : instructions(In.F)) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call ? meaning(*Call) : nullptr;
    if (!Row || (Row->What != Api::PostSend && Row->What != Api::WaitQp && Row->What != Api::FlushQp))
      continue;
    for (const Pointer &P : Where.resolve(Call->getArgOperand(0)))
      if (P.Base->named())
        NamedPairs.emplace(P.Base->Key, P.Base);
  }
}

/// Which queue pair it is cannot be said: any that the thread names, or two others, to any node.
std::vector<QueuePairId> Translator::anyPair(const CallBase &Call) {
  remark(Call, "which queue pair this is is not known; it is taken to be any, to any node", false);
  std::vector<QueuePairId> All;
  for (const auto &[Key, Known] : NamedPairs)
    for (QueuePairId Pair : pairsTo(*Known, Call))
      All.push_back(Pair);
  std::vector<NodeId> Targets;
  for (const TopologyNode &N : Stock.T.Nodes)
    for (NodeId Copy : Stock.copies(N.Name))
      if (Copy != In.Home || Stock.T.Nodes.size() == 1)
        Targets.push_back(Copy);
  if (Targets.empty())
    Targets.push_back(Stock.peerOf(In.Home, "?" + In.Entry, "an unknown queue pair"));
  for (NodeId Target : Targets)
    for (const char *Name : {"unknown queue pair", "another unknown queue pair"})
      All.push_back(Stock.queuePair(In.Index, Name, Target));
  return All;
}

std::vector<QueuePairId> Translator::queuePairs(const Value *Qp, const CallBase &Call) {
  std::vector<QueuePairId> All;
  auto add = [&](const Origin &Base) {
    std::vector<QueuePairId> Pairs = pairsTo(Base, Call);
    UsedPairs.try_emplace(Base.Key, UsedPair{&Base, Pairs, &Call});
    for (QueuePairId Pair : Pairs)
      if (std::find(All.begin(), All.end(), Pair) == All.end())
        All.push_back(Pair);
  };
  for (const Pointer &P : Where.resolve(Qp)) {
    if (!P.Base->named())
      return anyPair(Call);
    add(*P.Base);
    if (std::string Path = Where.nameOf(*P.Base); Path.find("[*]") != std::string::npos)
      for (const auto &[Key, Other] : NamedPairs)
        if (Other != P.Base && pathMatches(Path, Where.nameOf(*Other)))
          add(*Other);
  }
  return All.empty() ? anyPair(Call) : All;
}

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

void Translator::postSend(const CallBase &Call) {
  WorkChain Chain = readChain(Memory, Where, Call.getArgOperand(1), &Call);
  std::vector<QueuePairId> Pairs = queuePairs(Call.getArgOperand(0), Call);
  if (!Chain.Whole)
    remark(Call,
           "the list of work requests is not known as a whole here; what follows in it is not analysed: set "
           "`next` to "
           "null, or to a request that is filled in sight of the call",
           false);
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
  std::vector<std::uint64_t> Opcodes =
      R.Opcodes.value_or(std::vector<std::uint64_t>{WrRead, WrWrite, WrCompareSwap});
  if (!R.Opcodes)
    remark(
        Call,
        "the opcode of this work request is not known here; it is taken to be a READ, a WRITE or an atomic",
        true);
  // A request that may or may not ask for a completion, or wait for the READs before it, is both.
  std::vector<std::uint64_t> Flags = R.Flags.value_or(std::vector<std::uint64_t>{0, SendSignaled});
  if (!R.Flags)
    remark(Call,
           "the send_flags of this work request are not known here; it is taken to be signaled or not, "
           "without IBV_SEND_FENCE",
           true);
  Ways All;
  for (std::uint64_t Opcode : Opcodes)
    for (std::uint64_t F : Flags)
      for (Way &W : segmentWays(R, Opcode, F, Call, Pair))
        All.push_back(std::move(W));
  return All;
}

void Translator::tooManyWays(const CallBase &Call) {
  remark(Call,
         "there are more than " + std::to_string(MostWays) +
             " ways in which these work requests can differ; some are not analysed: post them by calls of "
             "their own",
         false);
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
  if (Opcode > WrFetchAdd || Opcode == WrSend || Opcode == WrSendWithImm) {
    remark(
        Call,
        Opcode == WrSend || Opcode == WrSendWithImm
            ? "a SEND is analysed on this side only: it reads its buffer; the peer's receive is not matched"
            : "a work request of this kind is not analysed",
        false);
    if (Opcode > WrFetchAdd)
      return {{}};
  }
  if (Opcode == WrWriteWithImm)
    remark(Call, "the immediate value of this WRITE is not matched with a receive", false);
  bool Sends = Opcode == WrSend || Opcode == WrSendWithImm;
  NodeId Target = Stock.P.QueuePairs[Pair].Target;
  bool SignalsAll = false;
  for (const auto &[Key, Used] : UsedPairs)
    if (std::find(Used.Pairs.begin(), Used.Pairs.end(), Pair) != Used.Pairs.end()) {
      SignalsAll = signalsAll(*Used.Qp).value_or(false);
      const_cast<UsedPair &>(Used).NeedsSignalAll |= !(*Flags & SendSignaled);
    }
  std::vector<Segment> Segments = R.Segments.value_or(std::vector<Segment>{Segment{}});
  if (!R.Segments)
    remark(Call,
           "the buffers of this work request are not known here; they are taken to be any registered memory: "
           "fill `sg_list` and `num_sge` in sight of the call, with one constant number",
           false);
  Ways All{{}};
  std::int64_t Before = 0;
  for (std::size_t I = 0; I < Segments.size() || (I == 0 && Segments.empty()); ++I) {
    Operation Op = operation(Opcode, *Flags, R);
    Op.Pair = Pair;
    Op.Unsignaled = I + 1 < Segments.size() || !((*Flags & SendSignaled) || SignalsAll);
    Op.Fenced &= I == 0;
    std::optional<std::int64_t> Length = Segments.empty() ? 0 : Segments[I].Length;
    std::vector<Access> Locals{Access{}}, Remotes{Access{}};
    if (Length == 0 || Segments.empty())
      Locals = {{Stock.fresh(In.Home)}};
    else
      Locals = locals(Segments[I]);
    if (Length == 0 || Sends)
      Remotes = {{Sends ? Stock.mailbox(Target, In.Index) : Stock.fresh(Target)}};
    else
      Remotes = remotes(R, Length, Pair, Call);
    // The entries of one request lie one behind the other on the far side.
    Ways Longer;
    for (const Way &W : All)
      for (const Access &Local : Locals)
        for (Access Remote : Remotes) {
          if (I > 0 && !Remote.whole())
            Before == Unbounded ? (void)(Remote = {Remote.Target})
                                : (void)(Remote.Begin += Before, Remote.End += Before);
          Way Next = W;
          Next.push_back(Op);
          Next.back().Local = Local;
          Next.back().Remote = Remote;
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

std::vector<Access> Translator::locals(const Segment &S) {
  std::vector<Access> All;
  for (const Pointer &P : S.Address) {
    bool Known = P.Base->named() && P.Base->What != Origin::Kind::Foreign;
    Access A = Known ? access(P, S.Length.value_or(Unbounded))
                     : Access{Stock.anything(In.Home, "memory of unknown origin")};
    Stock.expose(A.Target);
    All.push_back(A);
  }
  if (All.empty())
    All.push_back({Stock.anything(In.Home, "memory of unknown origin")});
  return All;
}

std::optional<Access> Translator::region(const Sum &Address, std::optional<std::int64_t> Length,
                                         NodeId Target) {
  for (const Value *Leaf : Address.Leaves) {
    auto Named = Stock.T.region(In.Entry, Where.pathOf(Leaf).Path);
    if (!Named)
      continue;
    const std::vector<NodeId> &Copies = Stock.copies(Named->Node);
    if (std::find(Copies.begin(), Copies.end(), Target) == Copies.end())
      continue;
    Access A = Stock.named(Target, Named->Object);
    Stock.exposeRemotely(A.Target);
    if (Address.Leaves.size() > 1 || Address.High == Unbounded || Address.Low < 0 || !Length)
      return A; // somewhere in it
    return Access{A.Target, A.Begin + Address.Low, A.Begin + Address.High + *Length};
  }
  return std::nullopt;
}

/// Where on the other node a request goes.
std::vector<Access> Translator::remotes(const WorkRequest &R, std::optional<std::int64_t> Length,
                                        QueuePairId Pair, const CallBase &Call) {
  NodeId Target = Stock.P.QueuePairs[Pair].Target;
  std::vector<Access> All;
  for (const Value *Address : R.Remote) {
    Sum Parts = Where.decompose(Address);
    if (auto Known = region(Parts, Length, Target)) {
      All.push_back(*Known);
      continue;
    }
    std::string Path;
    for (const Value *Leaf : Parts.Leaves)
      if (Path.empty())
        Path = Where.pathOf(Leaf).Path;
    if (Stock.T.given())
      remark(Call,
             (Path.empty() ? "what this request goes to" : "what is at " + quoted(Path)) + " on node '" +
                 Stock.P.Nodes[Target].Name + "' is not in the topology; it may be any memory there",
             true);
    Access A{Stock.anything(Target, Path.empty() ? "remote memory" : "what " + Path + " points to")};
    bool Exact =
        !Path.empty() && Parts.Leaves.size() == 1 && Parts.High != Unbounded && Parts.Low >= 0 && Length;
    if (Exact)
      A.Begin = Parts.Low, A.End = Parts.High + *Length;
    All.push_back(A);
  }
  if (All.empty()) {
    if (Stock.T.given() && !R.RemoteConstant)
      remark(Call,
             "the remote address of this work request is not known here; it may be any memory of node '" +
                 Stock.P.Nodes[Target].Name + "'",
             true);
    All.push_back({Stock.anything(Target, "remote memory")});
    if (R.RemoteConstant && Length && static_cast<std::int64_t>(*R.RemoteConstant) >= 0)
      All.back().Begin = *R.RemoteConstant, All.back().End = *R.RemoteConstant + *Length;
  }
  return All;
}

/// Until its completion is polled, a posted buffer belongs to the NIC: a receive is what a READ of memory
/// that nobody else touches would be, on a queue of its own.
void Translator::postReceive(const CallBase &Call) {
  remark(Call,
         "which message arrives in this buffer is not analysed; the NIC may write it until the receive "
         "completes",
         false);
  if (meaning(Call)->What == Api::CmPostRecv) {
    const Origin *Qp = queuePairOf(Call.getArgOperand(0), Call);
    if (!Qp)
      return remark(Call, "which queue pair this posts to is not known here; it is not analysed", false);
    WorkRequest R;
    R.Segments = std::vector{Segment{Where.resolve(Call.getArgOperand(2)), std::nullopt}};
    if (auto Length = single(Memory.constants(Call.getArgOperand(3))))
      R.Segments->front().Length = *Length;
    return receive({R}, *Qp, Call);
  }
  PointerSet Qp = Where.resolve(Call.getArgOperand(0));
  if (Qp.size() != 1 || !Qp[0].Base->named())
    return remark(Call, "which queue pair this posts to is not known here; it is not analysed", false);
  receive(readChain(Memory, Where, Call.getArgOperand(1), &Call).Requests, *Qp[0].Base, Call);
}

void Translator::receive(const std::vector<WorkRequest> &Requests, const Origin &Qp, const CallBase &Call) {
  std::vector<QueuePairId> Pairs = pairsTo(Qp, Call, " (receives)");
  UsedPairs.try_emplace(Qp.Key + "<", UsedPair{&Qp, Pairs, &Call, true});
  Ways All;
  for (QueuePairId Pair : Pairs) {
    Way W;
    for (const WorkRequest &R : Requests) {
      std::vector<Segment> Segments = R.Segments.value_or(std::vector<Segment>{Segment{}});
      for (std::size_t I = 0; I < Segments.size(); ++I)
        for (const Access &Buffer : locals(Segments[I])) {
          Operation Op;
          Op.Kind = Get;
          Op.Pair = Pair;
          Op.Local = Buffer;
          Op.Remote = {Stock.fresh(Stock.P.QueuePairs[Pair].Target)};
          Op.Unsignaled = I + 1 < Segments.size();
          W.push_back(Op);
        }
    }
    All.push_back(std::move(W));
  }
  place(Call, All);
}

/// librdmacm: rdma_post_send(id, context, addr, length, mr, flags); rdma_post_write and rdma_post_read have
/// the remote address and key behind these.
void Translator::postCm(const CallBase &Call) {
  const Origin *Qp = queuePairOf(Call.getArgOperand(0), Call);
  if (!Qp)
    return remark(Call, "which queue pair this posts to is not known here; it is not analysed", false);
  WorkRequest R;
  StringRef Name = Call.getCalledFunction()->getName();
  R.Opcodes = std::vector<std::uint64_t>{Name.starts_with("rdma_post_read")    ? WrRead
                                         : Name.starts_with("rdma_post_write") ? WrWrite
                                                                               : WrSend};
  R.Flags = Memory.constants(Call.getArgOperand(5));
  Segment S;
  S.Address = Where.resolve(Call.getArgOperand(2));
  if (auto Length = single(Memory.constants(Call.getArgOperand(3))))
    S.Length = *Length;
  R.Segments = std::vector{S};
  if (Call.arg_size() > 6)
    R.Remote = Memory.alternatives(Call.getArgOperand(6));
  std::vector<QueuePairId> Pairs = pairsTo(*Qp, Call);
  UsedPairs.try_emplace(Qp->Key, UsedPair{Qp, Pairs, &Call});
  Ways All;
  for (QueuePairId Pair : Pairs)
    for (Way &W : requestWays(R, Call, Pair))
      All.push_back(std::move(W));
  place(Call, All);
}

const Origin *Translator::queuePairOf(const Value *CmId, const CallBase &Call) {
  PointerSet Ids = Where.resolve(CmId);
  if (Ids.size() != 1 || !Ids[0].exact() || !Ids[0].Base->named())
    return nullptr;
  (void)Call;
  Pointer At = Ids[0];
  At.shift(layout::CmIdQp, layout::CmIdQp);
  At.Zeroed += layout::CmIdQp;
  PointerSet Found = Where.whatIsFoundAt(At, true);
  return Found.size() == 1 && Found[0].Base->named() ? Found[0].Base : nullptr;
}

/// rdma_wait(qp) and rdma_flush(qp) of rdma/order.h: a WRITE or a READ of nothing that matters, waited for.
void Translator::waitQp(const CallBase &Call, bool Flush) {
  std::vector<QueuePairId> Pairs = queuePairs(Call.getArgOperand(0), Call);
  Ways All;
  for (QueuePairId Pair : Pairs) {
    Operation Post, Completion;
    Post.Kind = Flush ? Get : Put;
    Post.Pair = Pair;
    Post.Local = {Stock.fresh(In.Home)};
    Post.Remote = {Stock.fresh(Stock.P.QueuePairs[Pair].Target)};
    Post.Id = Completion.Id = Stock.workId(In.Entry + ":" + std::to_string(Waits++));
    Completion.Kind = Wait;
    All.push_back({Post, Completion});
  }
  place(Call, All);
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
    remark(Call, "which completion queue this polls is not known here; it is taken to poll nothing", true);
    return None;
  }
  UsedQueues.try_emplace(Cq->Key, UsedQueue{Cq, &Call});
  return Queue = Stock.completionQueue(In.Index, Cq->Key);
}

} // namespace rdma::clang_ir
