// Receives, and what librdmacm posts.
#include "analyzer/clang/translate/Translator.h"

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

/// Until its completion is polled, a posted buffer belongs to the NIC: a receive is what a READ of memory
/// that nobody else touches would be, on a queue of its own.
void Translator::postReceive(const CallBase &Call) {
  if (meaning(Call)->What == Api::CmPostRecv) {
    const Origin *Qp = queuePairOf(Call.getArgOperand(0), Call);
    if (!Qp)
      return unknownPair(Call);
    WorkRequest R;
    R.Segments = cmSegments(Call);
    receive({R}, *Qp, Call);
    return notePost(Call, {R}, pairsTo(*Qp, Call, QueuePair::Receiving), {}, true, true);
  }
  PointerSet Qp = Where.resolve(Call.getArgOperand(0));
  if (Qp.size() != 1 || !Qp[0].Base->named())
    return unknownPair(Call);
  WorkChain Chain = readChain(Memory, Where, Call.getArgOperand(1), &Call);
  receive(Chain.Requests, *Qp[0].Base, Call);
  notePost(Call, Chain.Requests, pairsTo(*Qp[0].Base, Call, QueuePair::Receiving),
           Where.resolve(Call.getArgOperand(1)), Chain.Whole, true);
}

void Translator::unknownPair(const CallBase &Call) {
  Stock.Obscure.insert(In.Index);
  remark(Call, words::PostUnknownPair, false);
}

/// What it says is a remark unless the message and its receive are matched.
void Translator::noteMessage(const CallBase &Call, QueuePairId Pair, const Said &Text) {
  Stock.Messages.push_back({Pair, siteOf(Call.getDebugLoc()), Text});
}

/// A poll may tell that a message has come, also by finding nothing. Where it is called stands in the graph
/// until messages are matched.
void Translator::look(const CallBase &Call) {
  Operation Op;
  Op.Queue = poll(Call);
  const Loop *Around = Loops.getLoopFor(Call.getParent());
  Op.Negated = Around && Around->getHeader()->phis().empty(); // no count of rounds
  if (Op.Queue == None || meaning(Call)->What == Api::StartPoll)
    Stock.Obscure.insert(In.Index);
  else
    emit(Op, Call);
}

void Translator::receive(const std::vector<WorkRequest> &Requests, const Origin &Qp, const CallBase &Call) {
  std::vector<QueuePairId> Pairs = pairsTo(Qp, Call, QueuePair::Receiving);
  UsedPairs.try_emplace(Qp.Key + "<", UsedPair{&Qp, Pairs, &Call, true});
  Ways All;
  for (QueuePairId Pair : Pairs) {
    noteMessage(Call, Pair, words::ReceiveUnmatched);
    Way W;
    for (const WorkRequest &R : Requests) {
      std::vector<Segment> Segments = R.Segments.value_or(std::vector<Segment>{Segment{}});
      if (Segments.empty()) { // it completes all the same
        Operation Op;
        Op.Kind = Get;
        Op.Pair = Pair;
        Op.Local = {Stock.fresh(In.Home)};
        Op.Remote = {Stock.fresh(Stock.P.QueuePairs[Pair].Target)};
        W.push_back(Op);
      }
      for (std::size_t I = 0; I < Segments.size(); ++I)
        for (const Local &Buffer : locals(Segments[I], Call)) {
          Operation Op;
          Op.Kind = Get;
          Op.Pair = Pair;
          Op.Local = Buffer.At;
          Op.OneOf = Buffer.OneOf;
          Op.Remote = {Stock.fresh(Stock.P.QueuePairs[Pair].Target)};
          Op.Unsignaled = I + 1 < Segments.size();
          W.push_back(Op);
        }
    }
    All.push_back(std::move(W));
  }
  place(Call, All);
}

/// The buffers of rdma_post_send(id, context, addr, length, ...) or rdma_post_sendv(id, context, list, count,
/// ...); absent: not known.
std::optional<std::vector<Segment>> Translator::cmSegments(const CallBase &Call) {
  PointerSet At = Where.resolve(Call.getArgOperand(2));
  if (!takesList(Call)) {
    Segment Only;
    Only.Address = At;
    Only.Stored = Call.getArgOperand(2);
    setLength(Only, Memory, Where, {{Content::Kind::Value, 0, Call.getArgOperand(3)}}, &Call);
    return std::vector{Only};
  }
  auto Number = single(Memory.constants(Call.getArgOperand(3)));
  if (At.size() != 1 || !Number || *Number > MostSegments)
    return std::nullopt;
  return readSegments(Memory, Where, At[0], *Number, &Call);
}

/// The flags come behind the buffers; rdma_post_write and rdma_post_read have the remote address and key
/// behind these.
void Translator::postCm(const CallBase &Call) {
  const Origin *Qp = queuePairOf(Call.getArgOperand(0), Call);
  if (!Qp)
    return unknownPair(Call);
  WorkRequest R;
  StringRef Name = Call.getCalledFunction()->getName();
  R.Opcodes = std::vector<std::uint64_t>{Name.starts_with("rdma_post_read")    ? WrRead
                                         : Name.starts_with("rdma_post_write") ? WrWrite
                                                                               : WrSend};
  unsigned FlagsAt = takesList(Call) ? 4 : 5;
  R.Flags = Memory.constants(Call.getArgOperand(FlagsAt));
  R.Segments = cmSegments(Call);
  if (Call.arg_size() > FlagsAt + 1)
    R.Remote = Memory.alternatives(Call.getArgOperand(FlagsAt + 1));
  std::vector<QueuePairId> Pairs = pairsTo(*Qp, Call);
  UsedPairs.try_emplace(Qp->Key, UsedPair{Qp, Pairs, &Call});
  notePost(Call, {R}, Pairs, {}, true, false);
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
  PointerSet Found = Where.whatIsFoundAt(moved(Ids[0], layout::CmIdQp), true);
  return Found.size() == 1 && Found[0].Base->named() ? Found[0].Base : nullptr;
}

} // namespace rdma::clang_ir
