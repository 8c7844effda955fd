#include "analyzer/clang/translate/Joins.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/Kin.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

Operation heard(ObjectId Flag) {
  Operation Op;
  Op.Kind = OperationKind::Assume;
  Op.Local = {Flag};
  Op.Constant = 1;
  return Op;
}

namespace {

class Joins {
public:
  Joins(ArrayRef<ThreadsOf> Process, Inventory &Stock, RemarkLog &Log)
      : Process(Process), Stock(Stock), Log(Log) {
    for (const ThreadsOf &T : Process)
      for (const Spawn &S : T.Started)
        All.push_back(&S);
    Begun = count_if(Process, [](const ThreadsOf &T) { return !T.By->Start; });
  }

  void match(CountedThread &By, const JoinSite &J) {
    if (J.AtEnd)
      return matchEnd(By, J);
    std::vector<Statement> &Statements = Stock.P.Threads[By.Index].Statements;
    bool Known = isKnown(J.Handle) && !overwritten(J.Handle);
    std::vector<const Spawn *> Fitting;
    copy_if(All, std::back_inserter(Fitting),
            [&](const Spawn *S) { return !Known || !isKnown(S->Handle) || mayBe(S->Handle, J.Handle); });
    if (Begun > 1 && (!Known || (Fitting.empty() && !isOwn(J.Handle))))
      Log.add(siteOf(J.Call->getDebugLoc()), words::JoinUnknown, false);
    const bool Only = Fitting.size() == 1;
    if (Only && (Fitting[0]->Repeated || isOnlyOne(J) || (Known && isSame(Fitting[0]->Handle, J.Handle)))) {
      Statements[J.At].Op = heard(Fitting[0]->Ended);
      if (!Fitting[0]->Repeated)
        By.Joins.emplace(J.Call, Fitting[0]->Ended);
    } else if (!Fitting.empty()) {
      for (const Spawn *S : Fitting)
        mayHaveHeard(By, J, S->Ended);
      insertBehind(By, J, {}).Lost = Stock.lose({.Where = siteOf(J.Call->getDebugLoc()),
                                                 .Text = words::JoinLost,
                                                 .Tell = words::TellJoin,
                                                 .Joins = true});
    }
  }

  /// A std::thread that has been started before, and of which nobody has taken the handle, has been joined:
  /// else its destructor does not return.
  void matchEnd(CountedThread &By, const JoinSite &J) {
    for (const Spawn *S : All)
      if (S->Call->getFunction() == &By.F && !S->Repeated && isSame(S->Handle, J.Handle) &&
          By.Tree.dominates(S->Call, J.Call)) // where it has not thrown
        Stock.P.Threads[By.Index].Statements[J.At].Op = heard(S->Ended);
  }

private:
  static bool isKnown(const PointerSet &Handle) {
    return !Handle.empty() && all_of(Handle, [](const Pointer &P) { return P.Base->named(); });
  }

  /// In variables of these threads: set-up code cannot have left there who runs another entry.
  bool isOwn(const PointerSet &Handle) const {
    return all_of(Handle, [&](const Pointer &P) {
      auto *Variable = dyn_cast_or_null<AllocaInst>(P.Base->Root);
      return Variable &&
             any_of(Process, [&](const ThreadsOf &T) { return &T.By->F == Variable->getFunction(); });
    });
  }

  /// No other std::thread is there whose handle may have been moved to where it is joined. A pthread_t is a
  /// number, which code that is not here may have put there.
  bool isOnlyOne(const JoinSite &J) const {
    const ApiRow *Row = rowOf(*J.Call);
    return Begun == 1 && Row && Row->What == Api::JoinStd;
  }

  static bool mayBe(const PointerSet &A, const PointerSet &B) {
    return any_of(A, [&](const Pointer &P) {
      return any_of(B, [&](const Pointer &Q) { return mayShare(P, HandleSize, Q, HandleSize); });
    });
  }

  static bool isSame(const PointerSet &A, const PointerSet &B) {
    return A.size() == 1 && B.size() == 1 && A[0].exact() && B[0].exact() && A[0].Base == B[0].Base &&
           A[0].Low == B[0].Low;
  }

  /// Does the program itself store to the handle, as a move of one std::thread into another does? Setting it
  /// to zero is what its constructor does.
  bool overwritten(const PointerSet &Handle) const {
    return any_of(Process, [&](const ThreadsOf &T) {
      return any_of(instructions(T.By->F), [&](const Instruction &I) {
        const Value *To = nullptr;
        if (auto *Store = dyn_cast<StoreInst>(&I)) {
          auto *Number = dyn_cast<ConstantInt>(Store->getValueOperand());
          To = Number && Number->isZero() ? nullptr : Store->getPointerOperand();
        } else if (auto *Copy = dyn_cast<AnyMemTransferInst>(&I)) {
          To = Copy->getRawDest();
        }
        return To && any_of(T.By->Where.resolve(To),
                            [&](const Pointer &P) { return !P.Base->named() || mayBe({P}, Handle); });
      });
    });
  }

  void mayHaveHeard(CountedThread &By, const JoinSite &J, ObjectId Ended) {
    Operation Looks;
    Looks.Kind = OperationKind::Load;
    Looks.Local = {Ended};
    insertBehind(By, J, Looks);
  }

  Statement &insertBehind(CountedThread &By, const JoinSite &J, Operation Op) {
    Thread &T = Stock.P.Threads[By.Index];
    StatementId New = T.insertBehind(J.At, std::move(Op), Site(T.Statements[J.At].Where));
    T.Statements[New].Source = T.Statements[J.At].Source;
    By.Sources.resize(T.Statements.size(), J.Call);
    return T.Statements[New];
  }

  static constexpr std::int64_t HandleSize = 8;
  ArrayRef<ThreadsOf> Process;
  Inventory &Stock;
  RemarkLog &Log;
  std::vector<const Spawn *> All;
  std::ptrdiff_t Begun; ///< threads that none of these starts
};

} // namespace

void matchJoins(ArrayRef<ThreadsOf> Process, Inventory &Stock, RemarkLog &Log) {
  Joins All(Process, Stock, Log);
  for (const ThreadsOf &T : Process)
    for (const JoinSite &J : T.Joined)
      All.match(*T.By, J);
}

} // namespace rdma::clang_ir
