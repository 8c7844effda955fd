// Posts and polls of a replay.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/api/WorkRequests.h"
#include "analyzer/clang/replay/Machine.h"

namespace rdma::clang_ir {

using namespace llvm;

/// What the call says of where its requests go and report.
Request Machine::request(const CallBase &Call, BlockId Pair) const {
  Request R;
  R.Post = &Call;
  R.Pair = Pair;
  if (auto Found = Posts.find(&Call); Found != Posts.end()) {
    R.Signaled = Found->second->SignalsAll;
    if (const auto &Some = Found->second->Pairs; Some.size() == 1)
      if (CompletionQueueId Queue = QueuePairs[Some[0]].Queue; Queue != None)
        R.Queue = Queue;
  }
  if (auto Found = Pairs.find(Pair); Found != Pairs.end()) {
    R.Cq = Found->second.Cq;
    R.Signaled = Found->second.SignalsAll.value_or(R.Signaled);
  }
  return R;
}

/// Its completion counts; which bytes it uses is not known.
void Machine::unknownRequest(const CallBase &Call) {
  Datum Pair = value(Call.getArgOperand(0));
  Request R = request(Call, Pair.isAddress() ? Pair.Block : 0);
  R.Signaled = true;
  Card.post(std::move(R));
}

void Machine::saw(const Instruction *Post, const Instruction *Later) { Seen[{Post, Later}] |= !GotAnothers; }

void Machine::touchRequest(const Request &New) {
  for (const Request &R : Card.posted())
    for (const Request::Bytes &A : R.Uses)
      for (const Request::Bytes &B : New.Uses) {
        bool Meets = A.Block == B.Block && A.Begin < B.End && B.Begin < A.End;
        if (Meets && Card.isOut(R) && Card.isOut(New) && (R.Writes || New.Writes) && !Card.waitsFor(New, R))
          saw(R.Post, New.Post);
      }
}

/// The buffer is one of the request's; inline data is read at once.
void Machine::addBuffer(Request &To, const Datum &Address, std::optional<std::int64_t> Length,
                        std::int64_t Flags) {
  if (!Address.isAddress() || !Length)
    return;
  if (Flags & SendInline)
    touch(*To.Post, Address, *Length, false);
  else
    To.Uses.push_back({Address.Block, Address.Offset, Address.Offset + *Length});
}

void Machine::hand(Request R, std::int64_t Flags) {
  R.Signaled |= (Flags & SendSignaled) != 0;
  R.Fenced = Flags & SendFence;
  touchRequest(R);
  Card.post(std::move(R));
}

/// What the completion of a request says that it was.
static std::optional<std::uint64_t> completedAs(std::int64_t Opcode) {
  switch (Opcode) {
  case WrWrite:
  case WrWriteWithImm:
    return WcWrite;
  case WrSend:
  case WrSendWithImm:
    return WcSend;
  case WrRead:
    return WcRead;
  case WrCompareSwap:
    return WcCompareSwap;
  case WrFetchAdd:
    return WcFetchAdd;
  default:
    return std::nullopt;
  }
}

/// The request as a list has it: ibv_send_wr, or the fields that ibv_recv_wr has too. False: what it is is
/// not known.
bool Machine::fill(Request &R, const Datum &List, std::int64_t &Flags) {
  auto field = [&](std::int64_t At, std::int64_t Size) {
    return Memory.load(List.Block, List.Offset + At, Size, Size == 8 && At != 0);
  };
  R.Id = field(0, 8);
  if (!R.Receives) {
    auto Opcode = number(field(layout::OpcodeAt, 4)), Wanted = number(field(layout::FlagsAt, 4));
    if (!Opcode || !Wanted)
      return false;
    Flags = *Wanted;
    R.Writes = *Opcode == WrRead || *Opcode == WrCompareSwap || *Opcode == WrFetchAdd;
    if (std::optional<std::uint64_t> As = completedAs(*Opcode))
      R.Opcode = Datum::number(*As);
  }
  constexpr unsigned MostBuffers = 64;
  auto Buffers = number(field(layout::NumSge, 4));
  Datum Entry = field(layout::SgList, 8);
  for (std::int64_t B = 0; Entry.isAddress() && Buffers && B < *Buffers && B < MostBuffers; ++B) {
    std::int64_t At = Entry.Offset + B * layout::SgeSize;
    Datum Address = Memory.load(Entry.Block, At + layout::SgeAddr, 8, true);
    addBuffer(R, Address, number(Memory.load(Entry.Block, At + layout::SgeLength, 4, false)), Flags);
  }
  return true;
}

void Machine::postList(const CallBase &Call, bool Receives) {
  Datum Pair = value(Call.getArgOperand(0)), List = value(Call.getArgOperand(1));
  if (!Pair.isAddress())
    return Card.forget();
  constexpr unsigned MostRequests = 256;
  for (unsigned N = 0; N < MostRequests && List.isAddress(); ++N) {
    Request R = request(Call, Pair.Block);
    std::int64_t Flags = 0;
    if (Receives) {
      R.Receives = R.Writes = true;
      R.Cq = Pairs.count(Pair.Block) ? Pairs[Pair.Block].ReceiveCq : std::nullopt;
      R.Opcode = Datum::number(WcReceive);
    }
    if (!fill(R, List, Flags))
      return unknownRequest(Call);
    if (Receives && !R.Uses.empty())
      R.Length = Datum::chosen(R.Uses[0].End - R.Uses[0].Begin);
    hand(std::move(R), Receives ? SendSignaled : Flags);
    List = Memory.load(List.Block, List.Offset + layout::Next, 8, true);
  }
}

/// rdma_post_write(id, context, address, length, mr, flags, ...) and its like.
void Machine::postOne(const CallBase &Call, const ApiRow &Row) {
  Datum Id = value(Call.getArgOperand(0));
  if (!Id.isAddress())
    return Card.forget();
  if (takesList(Call))
    return unknownRequest(Call);
  Request R = request(Call, Id.Block);
  Datum Address = value(Call.getArgOperand(2));
  auto Length = number(value(Call.getArgOperand(3))), Flags = number(value(Call.getArgOperand(5)), 32);
  R.Id = value(Call.getArgOperand(1));
  R.Writes = Row.Name == "rdma_post_read";
  if (!Address.isAddress() || !Length || !Flags)
    return unknownRequest(Call);
  addBuffer(R, Address, Length, *Flags);
  hand(std::move(R), *Flags);
}

/// The queue pair that is made here: where it reports, and whether all requests leave a completion.
void Machine::created(const CallBase &Call, Api What) {
  bool Cm = What == Api::CmCreateQp;
  Datum Pair = Cm ? value(Call.getArgOperand(0)) : value(&Call),
        Wanted = value(Call.getArgOperand(Cm ? 2 : 1));
  if (!Pair.isAddress() || !Wanted.isAddress())
    return;
  Created &Known = Pairs[Pair.Block];
  if (Datum Cq = Memory.load(Wanted.Block, Wanted.Offset + layout::SendCq, 8, true); Cq.isAddress())
    Known.Cq = Cq.Block;
  if (Datum Cq = Memory.load(Wanted.Block, Wanted.Offset + layout::RecvCq, 8, true); Cq.isAddress())
    Known.ReceiveCq = Cq.Block;
  if (auto All = number(Memory.load(Wanted.Block, Wanted.Offset + layout::SqSigAll, 4, false)))
    Known.SignalsAll = *All != 0;
  if (Cm) // id->qp is one with it
    if (Datum Qp = Memory.load(Pair.Block, Pair.Offset + layout::CmIdQp, 8, true); Qp.isAddress())
      Pairs[Qp.Block] = Known;
}

/// rdma_wait and its like: of the other queue pairs they say nothing.
void Machine::await(const CallBase &Call) {
  const Datum Pair = value(Call.getArgOperand(0));
  const Value *Left = leftOut(Call);
  const std::optional<std::int64_t> Calls = Left ? number(value(Left), 32) : std::optional<std::int64_t>(0);
  if (!Pair.isAddress() || !Calls)
    return Card.forget();
  // Two that were made here; an endpoint is one with its queue pair.
  auto IsOther = [&](const Request &R) {
    const ApiRow *Posted = rowOf(*R.Post);
    return Posted && Posted->What != Api::CmPost && Pairs.count(R.Pair) && Pairs.count(Pair.Block);
  };
  if (Left)
    Card.awaitAllBut(Pair.Block, std::max<std::int64_t>(*Calls, 0), IsOther);
  else
    Card.await(Pair.Block, IsOther);
}

void Machine::poll(const CallBase &Call, const PollSite &Site, Api What) {
  std::optional<CompletionQueueId> Queue;
  std::optional<BlockId> Cq;
  if (Site.Queue != None)
    Queue = Site.Queue;
  if (Datum At = value(Call.getArgOperand(0)); At.isAddress() && What == Api::PollCq)
    Cq = At.Block;
  bool Waits = What == Api::CmPoll || What == Api::CmPollRecv;
  std::optional<Request> Done;
  if (Chosen.Taken && Chosen.Taken->count(&Call) && !GotAnothers &&
      any_of(Card.posted(), [](const Request &R) { return !R.Receives; })) {
    GotAnothers = true;
    Done.emplace();
  }
  for (unsigned Try = 0; Try < (Waits ? 8 : 1) && !Done; ++Try)
    Done = Card.poll(Call, Queue, Cq);
  if (Waits && !Done)
    Card.forget(); // what it waited for is not a request of this thread
  bool Started = What == Api::StartPoll;
  constexpr std::uint64_t NoEntry = 2;
  set(Call, Datum::number(Started ? (Done ? 0 : NoEntry) : Done ? 1 : 0));
  unsigned ResultAt = What == Api::PollCq ? 2 : 1;
  if (Started || ResultAt >= Call.arg_size())
    return;
  Datum Result = value(Call.getArgOperand(ResultAt));
  if (!Done || !Result.isAddress())
    return;
  // Successful; what it was and its number are known beside that.
  touch(Call, Result, layout::CompletionSize, true);
  Memory.fill(Result.Block, Result.Offset, layout::CompletionSize, Heap::Before::Nothing);
  Memory.store(Result.Block, Result.Offset + layout::CompletedId, 8, Done->Id);
  Memory.store(Result.Block, Result.Offset + layout::CompletedStatus, 4, Datum::number(0));
  Memory.store(Result.Block, Result.Offset + layout::CompletedOpcode, 4, Done->Opcode);
  Memory.store(Result.Block, Result.Offset + layout::CompletedLength, 4, Done->Length);
}

} // namespace rdma::clang_ir
