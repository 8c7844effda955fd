#include "test/device/Processor.h"

#include <algorithm>
#include <atomic>

namespace rdma::test {

using enum OperationKind;
using explorer::CompiledStatement;
using explorer::Exit;

Processor::Processor(const explorer::CompiledProgram &P, ThreadIndex Thread, const Nodes &N, bool StoreBuffer)
    : P(P), Thread(Thread), N(N), HasBuffer(StoreBuffer) {}

void Processor::start(uint64_t Seed) {
  Choices = Random(Seed);
  Pairs.assign(P.Source->QueuePairs.size(), {});
  Buffer.clear();
  enter(0);
}

void Processor::enter(unsigned Statement) {
  At = Statement;
  Phase = 0;
  if (At == Exit)
    return;
  Value = current().Value;
  Desired = current().Desired;
  if (current().phases() == 0)
    finish(0);
}

void Processor::finish(unsigned Steps) {
  Phase += Steps;
  if (Phase < current().phases())
    return;
  const std::vector<unsigned> &Next = current().Next;
  enter(Next[Next.size() == 1 ? 0 : Choices.below(Next.size())]);
}

void Processor::lookAround() const {
  for (ObjectId O = 0; O < P.Source->Objects.size(); ++O)
    load(O);
}

Attempt Processor::step() {
  if (At == Exit)
    return ended() ? Attempt::Ended : Attempt::Blocked;
  const CompiledStatement &S = current();
  if (Phase < S.Reads.size()) {
    const explorer::OperandRead &R = S.Reads[Phase];
    (R.IntoDesired ? Desired : Value) += R.Sign * load(R.Location);
    finish(1);
    return Attempt::Moved;
  }
  return tryOwn() ? Attempt::Moved : Attempt::Blocked;
}

/// The effect of the statement, when nothing keeps it from having it now.
bool Processor::tryOwn() {
  const Operation &Op = current().Op;
  unsigned Steps = 1;
  switch (Op.Kind) {
  case Load:
    load(Op.Local.Target);
    break;
  case Store:
    store(Op.Local.Target, Value);
    break;
  case LocalCas:
    if (!compareAndSwap(Op))
      return false;
    break;
  case MemoryFence:
    if (!Buffer.empty())
      return false;
    std::atomic_thread_fence(std::memory_order_seq_cst);
    break;
  case Assume:
    if ((load(Op.Local.Target) == Op.Constant) == Op.Negated)
      return false;
    break;
  case Poll:
    if (!pollQueue(Op.Queue))
      return false;
    break;
  case Wait:
    if (!await(Op.Id))
      return false;
    break;
  case RemoteFence:
    Pairs[Op.Pair].FenceNext = true;
    break;
  default:
    post(Op);
    Steps = current().OwnSteps;
  }
  finish(Steps);
  return true;
}

std::int64_t Processor::load(ObjectId O) const {
  auto Own = std::find_if(Buffer.rbegin(), Buffer.rend(), [&](const Buffered &B) { return B.Location == O; });
  return Own != Buffer.rend() ? Own->Value : __atomic_load_n(N.word(O), __ATOMIC_RELAXED);
}

void Processor::store(ObjectId O, std::int64_t What) {
  // Nothing else in between: the processor's own buffer holds it for some nanoseconds only.
  if (!HasBuffer)
    return __atomic_store_n(N.word(O), What, __ATOMIC_RELAXED);
  Buffered B;
  B.Location = O;
  B.Value = What;
  Buffer.push_back(B);
}

bool Processor::compareAndSwap(const Operation &Op) {
  if (Phase > current().Reads.size()) {
    store(Op.Result.Target, Old);
    return true;
  }
  if (!Buffer.empty())
    return false;
  Old = Value;
  __atomic_compare_exchange_n(N.word(Op.Local.Target), &Old, Desired, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  return true;
}

Processor::Buffered Processor::requestFor(const Operation &Op) {
  Buffered B;
  B.Pair = Op.Pair;
  B.Value = Value; // of an inline put
  B.Local = {reinterpret_cast<uint64_t>(N.word(Op.Local.Target)), 8, N.region(Op.Local.Target)->lkey};
  Pair &Q = Pairs[Op.Pair];
  ibv_send_wr &Wr = B.Request;
  Wr.wr_id = workRequestId(Op.Pair, ++Q.Posted);
  Wr.send_flags = (Op.Unsignaled ? 0u : unsigned(IBV_SEND_SIGNALED)) |
                  (Op.Inline ? unsigned(IBV_SEND_INLINE) : 0u) |
                  (Op.Fenced || Q.FenceNext ? unsigned(IBV_SEND_FENCE) : 0u);
  Q.FenceNext = false;
  auto Remote = reinterpret_cast<uint64_t>(N.word(Op.Remote.Target));
  uint32_t Key = N.region(Op.Remote.Target)->rkey;
  if (Op.Kind == Put || Op.Kind == Get) {
    Wr.opcode = Op.Kind == Put ? IBV_WR_RDMA_WRITE : IBV_WR_RDMA_READ;
    Wr.wr.rdma = {Remote, Key};
  } else {
    Wr.opcode = Op.Kind == RemoteCas ? IBV_WR_ATOMIC_CMP_AND_SWP : IBV_WR_ATOMIC_FETCH_AND_ADD;
    Wr.wr.atomic = {Remote, static_cast<uint64_t>(Value), static_cast<uint64_t>(Desired), Key};
  }
  return B;
}

void Processor::post(const Operation &Op) {
  Buffered B = requestFor(Op);
  Pairs[Op.Pair].Waiting.push_back({Op.Id, Pairs[Op.Pair].Posted});
  if (Buffer.empty())
    carryOut(B);
  else
    Buffer.push_back(B);
}

void Processor::carryOut(Buffered &B) {
  if (B.Location != None) {
    __atomic_store_n(N.word(B.Location), B.Value, __ATOMIC_RELAXED);
    return;
  }
  ibv_send_wr *Bad;
  if (B.Request.send_flags & IBV_SEND_INLINE)
    B.Local.addr = reinterpret_cast<uint64_t>(&B.Value);
  B.Request.sg_list = &B.Local;
  B.Request.num_sge = 1;
  CHECK(ibv_post_send(N.pair(B.Pair), &B.Request, &Bad) == 0);
}

bool Processor::leave() {
  if (Buffer.empty())
    return false;
  carryOut(Buffer.front());
  Buffer.pop_front();
  return true;
}

bool Processor::takeCompletion(ibv_cq *From) {
  ibv_wc Wc = {};
  int Count = ibv_poll_cq(From, 1, &Wc);
  CHECK(Count >= 0);
  if (!Count)
    return false;
  CHECK(Wc.status == IBV_WC_SUCCESS);
  // Completions come in order, so this one speaks for what was posted before too.
  auto &Waiting = Pairs[Wc.wr_id >> 32].Waiting;
  while (!Waiting.empty() && Waiting.front().Number <= static_cast<uint32_t>(Wc.wr_id))
    Waiting.pop_front();
  return true;
}

bool Processor::pollQueue(CompletionQueueId Queue) {
  for (QueuePairId Q = 0; Q < Pairs.size(); ++Q)
    if (P.Source->QueuePairs[Q].Owner == Thread && P.Source->QueuePairs[Q].Queue == Queue)
      return takeCompletion(N.completions(Q));
  return false;
}

bool Processor::await(WorkId Id) {
  for (QueuePairId Q = 0; Q < Pairs.size(); ++Q) {
    auto carriesId = [&](const Outstanding &O) { return O.Id == Id; };
    auto &Waiting = Pairs[Q].Waiting;
    while (std::any_of(Waiting.begin(), Waiting.end(), carriesId))
      if (!takeCompletion(N.completions(Q)))
        return false;
  }
  return true;
}

} // namespace rdma::test
