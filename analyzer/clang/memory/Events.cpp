// Which completion queue ibv_get_cq_event hands out: one that was created with the channel.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/memory/PointsTo.h"

namespace rdma::clang_ir {

using namespace llvm;

/// What is not memory of the program, and is only added to: the queues of a channel; of no channel: those
/// whose channel is not known.
const Origin *PointsTo::queuesOf(const Origin *Channel) {
  Origin O;
  O.What = Origin::Kind::Foreign;
  O.Key = O.Name.Path = "queues of " + (Channel ? Channel->Key : "?");
  return origin(std::move(O));
}

PointerSet PointsTo::collected(const Origin *Which) {
  Block &All = Blocks[Which];
  if (Current != Nobody)
    All.Asked.add(0, 8, Current);
  PointerSet Found;
  for (const Cell &C : All.Cells)
    addAll(Found, C.Held);
  return Found;
}

/// ibv_create_cq and ibv_create_cq_ex.
void PointsTo::keepChannel(InstanceId I, const CallBase &Call) {
  PointerSet Channels;
  if (constexpr unsigned Given = 3; Call.arg_size() > Given)
    Channels = of(I, Call.getArgOperand(Given));
  else
    for (const Pointer &P : of(I, Call.getArgOperand(1)))
      addAll(Channels, contents(moved(P, layout::GivenChannel), 8, true));
  for (const Pointer &P : Channels)
    if (P.Base->What != Origin::Kind::Null)
      write({queuesOf(P.Base->named() ? P.Base : nullptr), 0, 0, 0, {}}, 8, I, ofCall(I, Call));
}

/// ibv_get_cq_event. Known is only what comes from channels that the sources make, and no others have: these
/// may create queues with it, too.
void PointsTo::takeEvent(InstanceId I, const CallBase &Call) {
  PointerSet Queues, Context;
  bool Open = false;
  for (const Pointer &P : of(I, Call.getArgOperand(0))) {
    const CallBase *Made = dyn_cast_or_null<CallBase>(P.Base->Root);
    const Function *Maker = Made ? calledFunction(*Made) : nullptr;
    if (Current != Nobody)
      AskedOutside.add(Current);
    if (!Maker || Maker->getName() != "ibv_create_comp_channel" || Outside.count(P.Base))
      Open = true;
    else
      addAll(Queues, collected(queuesOf(P.Base)));
  }
  addAll(Queues, collected(queuesOf(nullptr)));
  for (const Pointer &Queue : Queues)
    if (Queue.Base->named())
      addAll(Context, contents(moved(Queue, layout::CqContext), 8, true));
  if (Open)
    addAll(Queues, {Pointer{Number}}), addAll(Context, {Pointer{Number}});
  for (const auto &[Argument, Held] : {std::pair(1u, Queues), std::pair(2u, Context)})
    for (const Pointer &Slot : of(I, Call.getArgOperand(Argument)))
      if (Slot.Base->named())
        write(Slot, 8, I, Held);
}

} // namespace rdma::clang_ir
