#include "analyzer/clang/translate/KnownFlags.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/prepare/BeforeMain.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

struct Number {
  std::int64_t Value;
  std::int64_t Size; ///< bytes
};

std::optional<Number> atFirst(const GlobalVariable &Global, const BeforeMain &Early) {
  const bool Own = Global.hasLocalLinkage() || (hasMain(Global) && leavesNothingOut(*Global.getParent()));
  if (!Own || !Global.hasDefinitiveInitializer() || Global.isThreadLocal() ||
      Global.isExternallyInitialized() || Global.isConstant() || Global.hasSection() || Early.mayName(Global))
    return std::nullopt;
  const DataLayout &Layout = Global.getParent()->getDataLayout();
  const std::uint64_t Size = Layout.getTypeStoreSize(Global.getValueType());
  if (Size == 0 || Size > 8 || (Size & (Size - 1)))
    return std::nullopt;
  auto *Bits = IntegerType::get(Global.getContext(), unsigned(Size * 8));
  auto *Holds = dyn_cast_or_null<ConstantInt>(
      ConstantFoldLoadFromConst(const_cast<Constant *>(Global.getInitializer()), Bits, APInt(64, 0), Layout));
  return Holds ? std::optional(Number{Holds->getSExtValue(), std::int64_t(Size)}) : std::nullopt;
}

/// Calls back with every place of an operation.
template <typename Visitor> void eachAccess(Operation &Op, Visitor Visit) {
  for (Access *A : {&Op.Local, &Op.Remote, &Op.Result})
    if (A->valid())
      Visit(*A);
  for (std::optional<Expression> *Of : {&Op.Value, &Op.Desired})
    if (*Of)
      for (Term &Part : **Of)
        if (!Part.IsConstant && Part.Location.valid())
          Visit(Part.Location);
}

bool isLeftOut(const Inventory &Stock, ObjectId O) {
  return std::any_of(Stock.LeftOut.begin(), Stock.LeftOut.end(), [&](const std::vector<ObjectId> &Touched) {
    return Touched.empty() || std::find(Touched.begin(), Touched.end(), O) != Touched.end();
  });
}

} // namespace

void wholeFlags(Inventory &Stock, const std::deque<CountedThread> &Threads, const Module &M) {
  if (!M.getModuleInlineAsm().empty()) // it may name any of them
    return;
  Program &P = Stock.P;
  std::map<ObjectId, Number> Flags;
  const BeforeMain Early(M);
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements) {
      const ObjectId O = S.Op.Kind == OperationKind::Assume ? S.Op.Local.Target : None;
      const GlobalVariable *Global = O == None || Flags.contains(O) ? nullptr : Stock.variable(O);
      const bool Alone = Global && P.Objects[O].Kins.empty() && !P.Objects[O].Several &&
                         !P.Objects[O].Anything && !P.Objects[O].RemoteAccess && !isLeftOut(Stock, O);
      if (std::optional<Number> Holds = Alone ? atFirst(*Global, Early) : std::nullopt)
        Flags.emplace(O, *Holds);
    }
  for (const CountedThread &T : Threads)
    for (Statement &S : P.Threads[T.Index].Statements)
      if (!T.Once)
        eachAccess(S.Op, [&](const Access &A) { Flags.erase(A.Target); });
  if (Flags.empty())
    return;
  for (const auto &[O, Holds] : Flags)
    P.Objects[O].Initial = Holds.Value;
  for (Thread &T : P.Threads)
    for (Statement &S : T.Statements)
      eachAccess(S.Op, [&](Access &A) {
        auto Flag = Flags.find(A.Target);
        if (Flag != Flags.end() && !A.Somewhere && A.Begin == 0 && A.End == Flag->second.Size)
          A = {A.Target};
      });
}

} // namespace rdma::clang_ir
