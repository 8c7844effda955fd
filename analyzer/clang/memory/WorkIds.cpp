// What requests carry as their wr_id, and what completions bring back of it.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/PointsTo.h"

namespace rdma::clang_ir {

using namespace llvm;

bool isWorkId(const LoadInst &Load) {
  const MDNode *Tag = Load.getMetadata(LLVMContext::MD_tbaa);
  auto *In = Tag && Tag->getNumOperands() > 2 ? dyn_cast<MDNode>(Tag->getOperand(0)) : nullptr;
  auto *Name = In && In->getNumOperands() ? dyn_cast<MDString>(In->getOperand(0)) : nullptr;
  return Name && Name->getString().ends_with("ibv_wc") &&
         mdconst::extract<ConstantInt>(Tag->getOperand(2))->isZero();
}

const Origin *PointsTo::workIds() {
  Origin O;
  O.What = Origin::Kind::Foreign;
  O.Key = "wr_id";
  O.Name.Path = "wr_id";
  return origin(std::move(O));
}

/// What a request carries as its wr_id comes back with a completion.
void PointsTo::post(InstanceId I, const CallBase &Call) {
  PointerSet List = of(I, Call.getArgOperand(1)), Ids;
  constexpr std::size_t MostRequests = 64;
  const Function *Callee = calledFunction(Call);
  const bool Receives = Callee && apiOf(Callee->getName()) && apiOf(Callee->getName())->What != Api::PostSend;
  for (std::size_t N = 0; N < List.size() && N < MostRequests; ++N) {
    if (!List[N].Base->named()) {
      if (List[N].Base->What == Origin::Kind::Unknown)
        postedUnseen(I);
      continue;
    }
    addAll(Ids, contents(List[N], 8, false)); // wr_id comes first
    addAll(List, contents(moved(List[N], layout::Next), 8, true));
    deliverInto(I, Call, List[N], Receives);
  }
  if (List.size() > MostRequests)
    postedUnseen(I);
  write({workIds(), 0, 0, 0, {}}, 8, I, Ids);
}

/// A request that is built takes what the program left in the queue pair's wr_id.
void PointsTo::build(InstanceId I, const CallBase &Call) {
  PointerSet Ids;
  for (Pointer P : of(I, Call.getArgOperand(0)))
    if (P.Base->named())
      addAll(Ids, contents(moved(P, layout::BuiltId), 8, false));
  write({workIds(), 0, 0, 0, {}}, 8, I, Ids);
}

/// A request whose wr_id is not seen.
void PointsTo::postedUnseen(InstanceId I) { write({workIds(), 0, 0, 0, {}}, 8, I, {Pointer{Number}}); }

/// What was posted, and nothing else: the block is not one that code outside the sources fills.
PointerSet PointsTo::postedIds() { return collected(workIds()); }

void PointsTo::completed(InstanceId I, const Value *Completions) {
  PointerSet Ids = postedIds();
  for (Pointer P : of(I, Completions)) {
    if (!P.Base->named())
      continue;
    Pointer Id{P.Base, 0, Unbounded, P.Zeroed + layout::CompletedId, {layout::CompletionSize}};
    write(P.exact() || P.Strides.empty() ? Id : Pointer{P.Base, 0, Unbounded, 0, {1}}, 8, I, Ids);
  }
}

/// ibv_start_poll and ibv_next_poll leave the wr_id in the completion queue.
void PointsTo::completedIn(InstanceId I, const Value *Queue) {
  PointerSet Ids = postedIds();
  for (Pointer P : of(I, Queue))
    if (P.Base->named())
      write(moved(P, layout::PolledId), 8, I, Ids);
}

} // namespace rdma::clang_ir
