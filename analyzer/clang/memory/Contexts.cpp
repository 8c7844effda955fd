// What libraries keep for the program and hand back: contexts of verbs objects, what is thrown.
#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/memory/PointsTo.h"

#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

/// The context that a queue, a queue pair or an identifier is created with is found in it; an identifier of a
/// connection that was asked for has that of the one which listens.
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
  } else if (Row.Name == "rdma_create_id" || Row.Name == "rdma_get_request") {
    Member = layout::CmIdContext;
    if (Row.Name == "rdma_create_id")
      Context = of(I, Call.getArgOperand(2));
    else
      for (const Pointer &Listens : of(I, Call.getArgOperand(0)))
        addAll(Context, contents(moved(Listens, Member), 8, true));
    for (const Pointer &Slot : of(I, Call.getArgOperand(1)))
      addAll(Made, contents(Slot, 8, true));
  } else {
    return;
  }
  // Others may be told of it by an event, whoever has the object.
  if (bySetup(I))
    show(Context);
  for (const Pointer &P : Made.empty() ? ofCall(I, Call) : Made)
    if (P.Base->named())
      write(moved(P, Member), 8, I, Context);
}

/// What a thread throws, or a function that stayed a call, and the first words of that: which of it is caught
/// where is not asked.
Held &PointsTo::thrownBy(InstanceId I) { return Thrown[Instances[I]->Thread ? I : ByCalls]; }

/// Is it an object for certain, no pointer?
static bool throwsObject(const CallBase &Throw) {
  auto *Type = dyn_cast<GlobalVariable>(Throw.getArgOperand(1)->stripPointerCasts());
  return Type && Type->getName().starts_with("_ZTI") && !Type->getName().starts_with("_ZTIP");
}

/// Collected where it is thrown, once for all handlers: there are more of those, one for each clean-up.
void PointsTo::keepThrown(InstanceId I, const CallBase &Call, const ApiRow &Row) {
  if (Row.Name != "__cxa_throw" && Row.Name != "__cxa_init_primary_exception")
    return;
  PointerSet Objects = of(I, Call.getArgOperand(0)), All = Objects;
  for (const Pointer &P : Objects)
    if (P.Base->named() && !throwsObject(Call))
      addAll(All, contents(P, 8, false));
  grow(thrownBy(I), All);
  if (bySetup(I)) // it may leave set-up code: with what it holds, itself being the library's memory
    for (const Pointer &P : Objects)
      if (P.Base->named())
        show(contents(anyKept(P.Base), 8, true));
}

/// May what others throw be caught here? A call of an entry may end with it, and std::rethrow_exception.
bool PointsTo::catchesOthers(InstanceId I) const {
  const Instance &In = *Instances[I];
  const Function *Rethrow =
      In.F.getParent()->getFunction("_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE");
  if (!In.Thread || In.Setup || (Rethrow && !Rethrow->use_empty()))
    return true;
  return any_of(instructions(In.F), [&](const Instruction &Inst) {
    auto *Call = dyn_cast<CallBase>(&Inst);
    return Call && Call->getCalledFunction() && Entries.count(Call->getCalledFunction());
  });
}

/// What was thrown, or the pointer in it: a handler for pointers gets that. Libraries throw objects
/// of their own (CallEffects.cpp).
PointerSet PointsTo::caught(InstanceId I, const ApiRow &Row) {
  PointerSet All;
  if (Row.Name != "__cxa_begin_catch" && Row.Name != "__cxa_get_exception_ptr")
    return All;
  bool Others = catchesOthers(I);
  for (InstanceId By = 0; By < Instances.size(); ++By) {
    if (By != I && Instances[By]->Thread && !Others)
      continue;
    addAll(All, read(thrownBy(By)));
  }
  return All;
}

} // namespace rdma::clang_ir
