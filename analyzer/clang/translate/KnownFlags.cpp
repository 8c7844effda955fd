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
template <typename Op, typename Visitor> void eachAccess(Op &Of, Visitor Visit) {
  for (auto *A : {&Of.Local, &Of.Remote, &Of.Result})
    if (A->valid())
      Visit(*A);
  for (auto *Sum : {&Of.Value, &Of.Desired})
    if (*Sum)
      for (auto &Part : **Sum)
        if (!Part.IsConstant && Part.Location.valid())
          Visit(Part.Location);
}

bool isLeftOut(const Inventory &Stock, ObjectId O) {
  return std::any_of(Stock.LeftOut.begin(), Stock.LeftOut.end(), [&](const std::vector<ObjectId> &Touched) {
    return Touched.empty() || std::find(Touched.begin(), Touched.end(), O) != Touched.end();
  });
}

/// Does the sources' own variable hold nothing but zeros when the program begins?
bool isZeroAtFirst(const GlobalVariable &Global, const BeforeMain &Early) {
  return Global.hasDefinitiveInitializer() && Global.getInitializer()->isNullValue() &&
         !Global.isThreadLocal() && !Global.isExternallyInitialized() && !Global.hasSection() &&
         !Early.mayName(Global);
}

/// The objects of threads that run more than once in their process, which find there what the last one left.
std::set<ObjectId> usedAgain(const Program &P, const std::deque<CountedThread> &Threads) {
  std::set<ObjectId> All;
  for (const CountedThread &T : Threads)
    for (const Statement &S : P.Threads[T.Index].Statements)
      if (!T.Once)
        eachAccess(S.Op, [&](const Access &A) { All.insert(A.Target); });
  return All;
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
  for (ObjectId O : usedAgain(P, Threads))
    Flags.erase(O);
  if (Flags.empty())
    return;
  std::set<ObjectId> Unbounded; // accessed as far as nobody knows
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements)
      eachAccess(S.Op, [&](const Access &A) {
        if (A.whole() || A.Somewhere)
          Unbounded.insert(A.Target);
      });
  for (const auto &[O, Holds] : Flags) {
    P.Objects[O].Initial = Holds.Value;
    P.Objects[O].Word = !Unbounded.contains(O);
  }
  for (Thread &T : P.Threads)
    for (Statement &S : T.Statements)
      eachAccess(S.Op, [&](Access &A) {
        auto Flag = Flags.find(A.Target);
        if (Flag != Flags.end() && !A.Somewhere && A.Begin == 0 && A.End == Flag->second.Size)
          A = {A.Target};
      });
}

void knownZeros(Inventory &Stock, const std::deque<CountedThread> &Threads, const Module &M) {
  if (!M.getModuleInlineAsm().empty()) // it may name any of them
    return;
  const BeforeMain Early(M);
  const std::set<ObjectId> Again = usedAgain(Stock.P, Threads);
  for (ObjectId O = 0; O < Stock.P.Objects.size(); ++O) {
    Object &Block = Stock.P.Objects[O];
    const GlobalVariable *Global = Stock.variable(O);
    Block.Zeros = Global && !Block.Several && !Block.Anything && !isLeftOut(Stock, O) && !Again.contains(O) &&
                  isZeroAtFirst(*Global, Early);
  }
}

} // namespace rdma::clang_ir
