// What libraries keep for the program and hand back: contexts of verbs objects, what is thrown.
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

namespace {

/// One block holds the addresses of all that is thrown: which of it is caught where is not asked.
Origin thrown() {
  Origin O;
  O.What = Origin::Kind::Foreign;
  O.Key = "thrown";
  O.Name.Path = "thrown";
  return O;
}

} // namespace

void PointsTo::keepThrown(InstanceId I, const CallBase &Call, const ApiRow &Row) {
  if (Row.Name == "__cxa_throw")
    write({origin(thrown()), 0, 0, 0, {}}, 8, I, of(I, Call.getArgOperand(0)));
}

/// What was thrown, or the pointer in it: a handler for pointers gets that. Libraries throw memory of their
/// own.
PointerSet PointsTo::caught(const ApiRow &Row) {
  PointerSet All;
  if (Row.Name != "__cxa_begin_catch" && Row.Name != "__cxa_get_exception_ptr")
    return All;
  for (const Pointer &P : contents({origin(thrown()), 0, 0, 0, {}}, 8, false)) {
    addAll(All, {P});
    if (P.Base->named())
      addAll(All, contents(P, 8, false));
  }
  return All;
}

} // namespace rdma::clang_ir
