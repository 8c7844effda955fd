// The contexts of verbs objects: what a program hands over when it creates one, and finds in it later.
#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/memory/PointsTo.h"

namespace rdma::clang_ir {

using namespace llvm;

/// The context that a queue or queue pair is created with is found in it.
void PointsTo::keepContext(InstanceId I, const CallBase &Call, const ApiRow &Row) {
  PointerSet Made, Context;
  auto given = [&](unsigned Attributes, std::int64_t At) {
    for (const Pointer &P : of(I, Call.getArgOperand(Attributes)))
      addAll(Context, contents(moved(P, At), 8, true));
  };
  std::int64_t Member = layout::QpContext;
  if (Row.What == Api::CreateCq) {
    Member = layout::CqContext;
    if (Call.arg_size() > 2)
      Context = of(I, Call.getArgOperand(2));
    else
      given(1, layout::GivenCqContext);
  } else if (Row.What == Api::CreateQp || Row.Name.starts_with("ibv_create_srq")) {
    given(1, layout::GivenContext);
  } else if (Row.What == Api::CmCreateQp) {
    given(2, layout::GivenContext);
    for (const Pointer &Id : of(I, Call.getArgOperand(0)))
      addAll(Made, contents(moved(Id, layout::CmIdQp), 8, true));
  } else {
    return;
  }
  for (const Pointer &P : Made.empty() ? ofCall(I, Call) : Made)
    if (P.Base->named())
      write(moved(P, Member), 8, I, Context);
}

} // namespace rdma::clang_ir
