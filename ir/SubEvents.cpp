#include "ir/SubEvents.h"

namespace rdma {
namespace {

using enum EventKind;
using enum OperationKind;

SubEvent cpu(EventKind K, const Access &Where = {}) { return {K, Where, None}; }

void readEach(const std::optional<Expression> &Value, SubEvents &Out) {
  if (!Value)
    return;
  for (const Term &T : *Value)
    if (!T.IsConstant)
      Out.push_back(cpu(lR, T.Location));
}

/// Operands are read by the CPU before the request is posted.
SubEvents operandReads(const Operation &Op) {
  SubEvents Reads;
  readEach(Op.Value, Reads);
  readEach(Op.Desired, Reads);
  return Reads;
}

std::vector<SubEvents> expandCas(const Operation &Op, const SubEvents &Success, const SubEvents &Failure) {
  std::vector<SubEvents> Ways;
  if (Op.Success != Operation::Outcome::Fails)
    Ways.push_back(Success);
  if (Op.Success != Operation::Outcome::Succeeds)
    Ways.push_back(Failure);
  return Ways;
}

SubEvents after(SubEvents Head, std::initializer_list<SubEvent> Tail) {
  Head.insert(Head.end(), Tail);
  return Head;
}

std::vector<SubEvents> expandLocalCas(const Operation &Op) {
  if (exchanges(Op)) {
    SubEvents All;
    readEach(Op.Desired, All);
    All.push_back(cpu(CAS, Op.Local));
    if (Op.Result.valid())
      All.push_back(cpu(lW, Op.Result));
    return {All};
  }
  SubEvents Reads = operandReads(Op);
  SubEvents Success = after(Reads, {cpu(CAS, Op.Local)}), Failure = after(Reads, {cpu(F), cpu(lR, Op.Local)});
  if (Op.Result.valid()) {
    Success.push_back(cpu(lW, Op.Result));
    Failure.push_back(cpu(lW, Op.Result));
  }
  return expandCas(Op, Success, Failure);
}

std::vector<SubEvents> expandRemote(const Operation &Op) {
  SubEvents Head = operandReads(Op);
  if (Op.Fenced)
    Head.push_back({nF, {}, Op.Pair});
  SubEvent Delivery{nlW, Op.Local, Op.Pair};
  SubEvent AtomicRead{narR, Op.Remote, Op.Pair}, AtomicWrite{narW, Op.Remote, Op.Pair};
  switch (Op.Kind) {
  case Put:
    // An inline put's source is read by the CPU at the post, before the request can wait for a fence.
    if (Op.Inline)
      Head.insert(Head.begin(), cpu(lR, Op.Local));
    else
      Head.push_back({nlR, Op.Local, Op.Pair});
    return {after(Head, {{nrW, Op.Remote, Op.Pair}})};
  case Get:
    return {after(Head, {{nrR, Op.Remote, Op.Pair}, Delivery})};
  case RemoteFaa:
    return {after(Head, {AtomicRead, AtomicWrite, Delivery})};
  default:
    return expandCas(Op, after(Head, {AtomicRead, AtomicWrite, Delivery}),
                     after(Head, {AtomicRead, Delivery}));
  }
}

} // namespace

std::vector<SubEvents> expand(const Operation &Op) {
  switch (Op.Kind) {
  case Nop:
    return {{}};
  case Load:
  case Assume:
    return {{cpu(lR, Op.Local)}};
  case Store:
    return {after(operandReads(Op), {cpu(lW, Op.Local)})};
  case LocalCas:
    return expandLocalCas(Op);
  case LocalRmw:
    return {{cpu(CAS, Op.Local)}};
  case MemoryFence:
    return {{cpu(F)}};
  case RemoteFence:
    return {{{nF, {}, Op.Pair}}};
  case Poll:
    return {SubEvents(Op.Count, cpu(P))};
  case Wait:
    return {{cpu(P)}};
  default:
    return expandRemote(Op);
  }
}

bool exchanges(const Operation &Op) {
  return Op.Kind == LocalCas && Op.Value && Op.Value->size() == 1 && !Op.Value->front().IsConstant &&
         Op.Value->front().Sign == 1 && Op.Value->front().Location == Op.Local;
}

bool leavesCompletion(const Operation &Op) { return isRequest(Op.Kind) && !Op.Unsignaled; }

bool leavesForPolls(const Operation &Op) { return leavesCompletion(Op) && (Op.Id == None || Op.Counted); }

} // namespace rdma
