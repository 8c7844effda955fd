// Order that threads and nodes make outside memory: locks and their like, and messages.
//
// A synchronisation object is its own memory, and each use an atomic step on it: so it orders CPUs, and never
// the NIC. A message through a socket, a pipe or the connection manager goes through a node of its own,
// "outside", that every thread reaches by a queue pair of its own: sending is a WRITE there that has arrived
// when the call returns, receiving a READ. So what a NIC still has under way when the message leaves is under
// way for those, too, who receive it.
#include "analyzer/clang/translate/Translator.h"

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

constexpr std::int64_t ObjectSize = 4; // enough to tell two objects apart

} // namespace

void Translator::synchronise(const CallBase &Call, const ApiRow &Row) {
  PointerSet Objects = Where.resolve(Call.getArgOperand(Row.Writes));
  if (Row.Reads >= 0) {
    PointerSet Second = Where.resolve(Call.getArgOperand(Row.Reads));
    if (Row.What == Api::SyncThrough) {
      PointerSet Found;
      for (const Pointer &Holder : Second)
        Pointers::addAll(Found, Where.whatIsFoundAt(Holder, true));
      Second = std::move(Found);
    }
    // What a condition variable releases and takes again.
    if (Second.empty())
      Objects.clear();
    else
      Pointers::addAll(Objects, Second);
  }
  bool Known = !Objects.empty();
  for (const Pointer &P : Objects)
    Known &= P.Base->named();
  if (!Known) {
    remark(Call,
           "which object '" + std::string(Row.Name) +
               "' works on is not known here; the order that it makes is not analysed",
           false);
    return fence(Call);
  }
  Ways All;
  for (const Pointer &P : Objects) {
    Operation Op;
    Op.Kind = Row.What == Api::SyncStore ? Store : LocalRmw;
    Op.Local = access(P, ObjectSize);
    All.push_back({Op});
  }
  // Each of them, one after the other, where there are two that the call works on.
  if (Row.Reads >= 0)
    for (const Way &W : All)
      emit(Ways{W}, Call);
  else
    emit(All, Call);
}

void Translator::message(const CallBase &Call, const ApiRow &Row) {
  effects(Call, Row);
  auto *File = Call.arg_size() ? dyn_cast<ConstantInt>(Call.getArgOperand(0)) : nullptr;
  bool Terminal = File && Row.What == Api::Sends && File->getZExtValue() <= 2;
  // Without a topology, what other nodes may see is not asked.
  if (Terminal || (!Stock.T.given() && !Stock.P.OpenWorld))
    return;
  NodeId Outside = Stock.outside();
  QueuePairId Pair = Stock.queuePair(In.Index, "messages", Outside);
  // Which message a call receives is certain between two nodes, outside loops. Otherwise what one sends may
  // or may not be what another receives: two objects that may be the same.
  bool Once = Stock.T.Nodes.size() == 2 && Loops.getLoopDepth(Call.getParent()) == 0;
  const char *Which = Once ? "" : Row.What == Api::Sends ? "sent" : "received";
  auto transfer = [&](OperationKind Kind) {
    Operation Op;
    Op.Kind = Kind;
    Op.Pair = Pair;
    Op.Local = {Stock.fresh(In.Home)};
    Op.Remote = {Stock.flag(Outside, Which, "messages")};
    Stock.exposeRemotely(Op.Remote.Target);
    Stock.P.Objects[Op.Remote.Target].Unaliased = false;
    Stock.P.Objects[Op.Remote.Target].Anything = true;
    return Op;
  };
  Way W;
  if (Row.What == Api::Sends) {
    W.push_back(transfer(Put));
    W.back().Unsignaled = true;
  }
  W.push_back(transfer(Get));
  if (Row.What == Api::Sends) // it only waits for the WRITE
    W.back().Remote = {Stock.fresh(Outside)};
  Operation Done;
  Done.Kind = Wait;
  Done.Id = W.back().Id = Stock.workId(In.Entry + ":message " + std::to_string(Waits++));
  W.push_back(Done);
  emit(Ways{W}, Call);
}

} // namespace rdma::clang_ir
