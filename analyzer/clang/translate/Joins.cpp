#include "analyzer/clang/translate/Joins.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/Kin.h"
#include "analyzer/clang/translate/HandleFlow.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/MemoryLocation.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

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

/// Goes on where the flag has not been set, which only this thread does.
Operation unheard(ObjectId Flag) {
  Operation Op = heard(Flag);
  Op.Constant = 0;
  return Op;
}

class Joins {
public:
  Joins(ArrayRef<ThreadsOf> Process, Inventory &Stock, RemarkLog &Log)
      : Process(Process), Stock(Stock), Log(Log) {
    for (const ThreadsOf &T : Process)
      for (const Spawn &S : T.Started)
        All.push_back(&S);
    Begun = count_if(Process, [](const ThreadsOf &T) { return !T.By->Start; });
  }

  void match(const ThreadsOf &Of) {
    if (Of.Joined.empty())
      return;
    Flows.clear();
    for (const Spawn &S : Of.Started)
      Flows.emplace_back(S, Of, Process);
    Doubted.clear();
    for (const JoinSite &J : Of.Joined)
      if (J.What != Kind::Left)
        match(Of, J);
    for (const JoinSite &J : Of.Joined)
      if (J.What == Kind::Left)
        leave(Of, J);
  }

private:
  using Kind = JoinSite::Kind;

  void match(const ThreadsOf &Of, const JoinSite &J) {
    std::vector<const Spawn *> Open = J.What == Kind::Call ? fitting(J) : std::vector<const Spawn *>{};
    if (Open.size() == 1 && isCertain(*Open[0], *Of.By, J)) {
      statements(*Of.By)[J.At].Op = heard(Open[0]->Ended[0]);
      Of.By->Joins.emplace(cast<CallBase>(J.Place), Open[0]->Ended[0]);
      return;
    }
    for (std::size_t I = 0; I < Of.Started.size(); ++I) {
      const Spawn &S = Of.Started[I];
      const bool Over = isOverAt(Of, I, placeOf(Of, J)) ||
                        (J.What == Kind::Array && isOverBehind(Of.Arrays[J.Which], Of, S));
      if (Over)
        isOver(*Of.By, J, S);
      if (Over || isOverBehindLoop(Of, J, I))
        std::erase(Open, &S);
    }
    for (const Spawn *S : Open)
      for (ObjectId Ended : S->Ended)
        mayHaveHeard(*Of.By, J, Ended);
    if (Open.size() > 1 || (Open.size() == 1 && !isOfRound(*Open[0], *Of.By, J))) {
      const LostFactId Fact = Stock.lose({.Where = siteOf(J.Place->getDebugLoc()),
                                          .Text = words::JoinLost,
                                          .Tell = words::TellJoin,
                                          .Joins = true});
      insertBehind(*Of.By, J, {}).Lost = Fact;
      Doubted.push_back({&J, std::move(Open), Fact});
    }
  }

  /// Its rounds may have waited for all that other loops have started, and also where there were no rounds
  /// nothing may have been started.
  void leave(const ThreadsOf &Of, const JoinSite &Way) {
    const BasicBlock *Left = Way.Place->getParent(), *Next = Way.Place->getSuccessor(Way.Successor);
    for (const DoubtedCall &Call : Doubted) {
      bool Waits = false;
      for (const Loop *L = Of.By->Loops.getLoopFor(Left); L && !L->contains(Next); L = L->getParentLoop())
        if (L->contains(Call.Join->Place))
          for (const Spawn *S : Call.For)
            if (S->Call->getFunction() != &Of.By->F || !L->contains(S->Call)) {
              Waits = true;
              for (ObjectId Ended : S->Ended)
                mayHaveHeard(*Of.By, Way, Ended);
            }
      if (Waits)
        insertBehind(*Of.By, Way, {}).Lost = Call.Fact;
    }
  }

  static PlaceInCode placeOf(const ThreadsOf &Of, const JoinSite &J) {
    return {J.Place, J.Successor, J.What == Kind::Range ? &Of.Ranges[J.Which] : nullptr};
  }

  /// What a call may wait for.
  std::vector<const Spawn *> fitting(const JoinSite &J) {
    const bool Known = isKnown(J.Handle) && !overwritten(J.Handle);
    std::vector<const Spawn *> Fitting;
    copy_if(All, std::back_inserter(Fitting),
            [&](const Spawn *S) { return !Known || !isKnown(S->Handle) || mayBe(S->Handle, J.Handle); });
    if (Begun > 1 && (!Known || (Fitting.empty() && !isOwn(J.Handle))))
      Log.add(siteOf(J.Place->getDebugLoc()), words::JoinUnknown, false);
    return Fitting;
  }

  /// Of the only one that a call may wait for: does it?
  bool isCertain(const Spawn &S, const CountedThread &By, const JoinSite &J) const {
    return !S.Repeated && !mayThrow(J) && !mayBeDetached(S) && !isJoinedBeside(S, By) &&
           (isOnlyOne(S, By, J) ||
            (isKnown(J.Handle) && !overwritten(J.Handle) && !isCleared(S) && isSame(S.Handle, J.Handle)));
  }

  /// Of two threads that wait for the number of one, the second comes back at once.
  bool isJoinedBeside(const Spawn &S, const CountedThread &By) const {
    return any_of(Process, [&](const ThreadsOf &T) {
      return T.By != &By && any_of(T.Joined, [&](const JoinSite &J) {
               auto *Call = J.What == Kind::Call ? dyn_cast<CallBase>(J.Place) : nullptr;
               const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
               return Row && Row->What == Api::JoinPthread &&
                      (!isKnown(J.Handle) || !isKnown(S.Handle) || mayBe(J.Handle, S.Handle));
             });
    });
  }

  /// It is the thread that this round of a loop has started: which of the copies that is makes no difference.
  static bool isOfRound(const Spawn &S, const CountedThread &By, const JoinSite &J) {
    return S.Repeated && S.Call->getFunction() == &By.F &&
           By.Loops.getLoopFor(S.Call->getParent()) == By.Loops.getLoopFor(J.Place->getParent());
  }

  bool isOverAt(const ThreadsOf &Of, std::size_t Started, const PlaceInCode &Place) const {
    return Flows[Started].isOverAt(Place) && !mayBeDetached(Of.Started[Started]);
  }

  /// What one of the rounds of a loop waits for, all have waited for behind it.
  bool isOverBehindLoop(const ThreadsOf &Of, const JoinSite &J, std::size_t Started) const {
    return any_of(Of.Ranges,
                  [&](const JoinedRange &R) {
                    return R.Rounds->contains(J.Place) &&
                           isOverAt(Of, Started, {R.header()->getTerminator(), int(R.Exit), &R});
                  }) ||
           any_of(Of.Arrays, [&](const JoinedArray &A) {
             return A.Rounds->contains(J.Place) && isOverBehind(A, Of, Of.Started[Started]);
           });
  }

  /// No number in the array is but that of such a thread, and none is started again.
  bool isOverBehind(const JoinedArray &A, const ThreadsOf &Of, const Spawn &S) const {
    return S.Call->getFunction() == &Of.By->F &&
           startsWithin(*S.Call, A, Of.By->Loops, Of.By->F.getDataLayout()) &&
           !canReach({A.header()->getTerminator(), int(A.Exit)}, *S.Call) && isKnown(S.Handle) &&
           !overwritten(S.Handle) && !isCleared(S) && !mayBeDetached(S) &&
           all_of(All, [&](const Spawn *Other) {
             return Other->Call == S.Call || (isKnown(Other->Handle) && !mayBe(Other->Handle, S.Handle));
           });
  }

  /// It has ended, or the start was not come by.
  void isOver(CountedThread &By, const JoinSite &J, const Spawn &S) {
    Thread &T = Stock.P.Threads[By.Index];
    for (ObjectId Ended : S.Ended) {
      if (!S.Repeated && By.Tree.dominates(S.Call, J.Place)) {
        insertBehind(By, J, heard(Ended));
        if (auto *Call = dyn_cast<CallBase>(J.Place))
          By.Joins.emplace(Call, Ended);
        continue;
      }
      insertBehind(By, J, {}); // behind both ways
      const StatementId Behind = T.Statements.size() - 1;
      for (const Operation &Way : {heard(Ended), unheard(S.Started)}) {
        insertBehind(By, J, Way);
        T.Statements.back().Successors = {Behind};
        T.Statements[J.At].Successors = {Behind};
      }
      T.Statements[J.At].Successors = {Behind + 1, Behind + 2};
    }
  }

  std::vector<Statement> &statements(const CountedThread &By) { return Stock.P.Threads[By.Index].Statements; }

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

  /// No other std::thread is there whose handle may have been moved to where it is joined: neither one of
  /// these, nor one that is kept where others have put it. A pthread_t is a number, which code that is not
  /// here may have put there.
  bool isOnlyOne(const Spawn &S, const CountedThread &By, const JoinSite &J) const {
    const ApiRow *Row = rowOf(cast<CallBase>(*J.Place));
    if (Begun != 1 || !Row || Row->What != Api::JoinStd || takesOthers() || spoiled(S.Handle) ||
        spoiled(J.Handle))
      return false;
    return isMadeHere(J.Handle) ||
           (S.Call->getFunction() == &By.F && By.Tree.dominates(S.Call, J.Place) && isFilledBefore(By, J));
  }

  static bool isFilledBefore(const CountedThread &By, const JoinSite &J) {
    return any_of(instructions(By.F), [&](const Instruction &I) {
      auto *Store = dyn_cast<StoreInst>(&I);
      auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
      const Value *To = Store ? Store->getPointerOperand() : Copy ? Copy->getRawDest() : nullptr;
      return To && !setsToZero(I) && By.Tree.dominates(&I, J.Place) && isSame(By.Where.resolve(To), J.Handle);
    });
  }

  /// Variables of these threads, and what they have allocated.
  bool isMadeHere(const PointerSet &Place) const {
    return all_of(Place, [&](const Pointer &P) {
      auto *Maker = dyn_cast_or_null<Instruction>(P.Base->Root);
      const bool Makes = Maker && (isa<AllocaInst>(Maker) || P.Base->What == Origin::Kind::Heap);
      return P.Base->What == Origin::Kind::Null ||
             (Makes && any_of(Process, [&](const ThreadsOf &T) { return &T.By->F == Maker->getFunction(); }));
    });
  }

  /// Is the handle of a std::thread moved from where set-up code may have put it?
  bool takesOthers() const {
    return any_of(Process, [&](const ThreadsOf &T) {
      return any_of(instructions(T.By->F), [&](const Instruction &I) {
        auto *Load = dyn_cast<LoadInst>(&I);
        auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
        const Value *From = Load && !readsNone(*Load) ? Load->getPointerOperand()
                            : Copy                    ? Copy->getRawSource()
                                                      : nullptr;
        return From && isOfSwap(I) && !isMadeHere(T.By->Where.resolve(From));
      });
    });
  }

  /// A std::thread that has been detached, or whose handle has been moved away, is not waited for: join
  /// throws, and somebody may catch that.
  bool mayThrow(const JoinSite &J) const {
    return isa<InvokeInst>(J.Place) && (overwritten(J.Handle) || any_of(Process, [](const ThreadsOf &T) {
                                          return any_of(instructions(T.By->F), detaches);
                                        }));
  }

  static bool detaches(const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
    return Row && Row->Name == "_ZNSt6thread6detachEv";
  }

  /// What has been detached by its number, or begins so, may be joined in vain, and nobody looks. A
  /// std::thread gives its number away, too.
  bool mayBeDetached(const Spawn &S) const {
    const ApiRow *Row = rowOf(*S.Call);
    return (Row && mayBeginDetached(S, *Row)) || any_of(Process, [&](const ThreadsOf &T) {
             return any_of(instructions(T.By->F),
                           [&](const Instruction &I) { return mayDetach(I, *T.By, S); });
           });
  }

  bool mayBeginDetached(const Spawn &S, const ApiRow &Row) const {
    const Value *Attributes = S.Call->getArgOperand(1);
    if (Row.Name != "pthread_create" || isa<ConstantPointerNull>(Attributes))
      return false;
    auto By = find_if(Process, [&](const ThreadsOf &T) { return &T.By->F == S.Call->getFunction(); });
    return setsDetached(*S.Call->getModule()) || By == Process.end() ||
           mayBeSetByOthers(By->By->Where.resolve(Attributes));
  }

  /// Attributes that are not made here, or not by the calls for that.
  bool mayBeSetByOthers(PointerSet Attributes) const {
    auto isStatic = [](const Pointer &P) {
      auto *Variable = dyn_cast_or_null<GlobalVariable>(P.Base->Root);
      return Variable && Variable->hasLocalLinkage();
    };
    if (!all_of(Attributes, [&](const Pointer &P) { return isStatic(P) || isMadeHere({P}); }))
      return true;
    for (Pointer &P : Attributes)
      P.widen();
    return any_of(Process, [&](const ThreadsOf &T) {
      return any_of(instructions(T.By->F), [&](const Instruction &I) {
        auto *Call = dyn_cast<CallBase>(&I);
        const ApiRow *Row = Call && !isa<IntrinsicInst>(Call) ? rowOf(*Call) : nullptr;
        auto *Set = dyn_cast<AnyMemSetInst>(&I);
        const bool Clears = Set && PatternMatch::match(Set->getValue(), PatternMatch::m_Zero());
        return !Clears && !(Row && Row->Name.starts_with("pthread_attr_")) && writes(I, *T.By, Attributes);
      });
    });
  }

  static bool setsDetached(const Module &M) {
    const Function *Sets = M.getFunction("pthread_attr_setdetachstate");
    return Sets && any_of(Sets->users(), [](const User *U) {
             auto *Call = dyn_cast<CallBase>(U);
             auto *State = Call ? dyn_cast<ConstantInt>(Call->getArgOperand(1)) : nullptr;
             return !State || !State->isZero();
           });
  }

  bool mayDetach(const Instruction &I, const CountedThread &By, const Spawn &S) const {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call && !isa<IntrinsicInst>(Call) ? rowOf(*Call) : nullptr;
    if (!Row || (Row->Name != "pthread_detach" && Row->Name != "thrd_detach"))
      return false;
    const Value *Number = Call->getArgOperand(0);
    if (auto *Self = dyn_cast<CallBase>(Number); Self && isOwnNumber(*Self))
      return By.Start == S.Call;
    auto *Load = dyn_cast<LoadInst>(Number);
    const PointerSet Handle = Load ? By.Where.resolve(Load->getPointerOperand()) : PointerSet{};
    return !isKnown(Handle) || overwritten(Handle) || !isKnown(S.Handle) || mayBe(Handle, S.Handle);
  }

  static bool isOwnNumber(const CallBase &Call) {
    const Function *F = Call.getCalledFunction();
    return F && (F->getName() == "pthread_self" || F->getName() == "thrd_current");
  }

  /// Of a pthread: is what keeps its number set to zero behind the start?
  bool isCleared(const Spawn &S) const {
    const ApiRow *Row = rowOf(*S.Call);
    return Row && Row->What == Api::SpawnPthread && any_of(Process, [&](const ThreadsOf &T) {
             return any_of(instructions(T.By->F), [&](const Instruction &I) {
               return (!isa<StoreInst>(I) || setsToZero(I)) && writes(I, *T.By, S.Handle) &&
                      (&T.By->F != S.Call->getFunction() || canReach({S.Call}, I));
             });
           });
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
    return writtenUnseen(Handle) || any_of(Process, [&](const ThreadsOf &T) {
             return any_of(instructions(T.By->F),
                           [&](const Instruction &I) { return !setsToZero(I) && writes(I, *T.By, Handle); });
           });
  }

  /// By the NIC, by others, or where no instruction of these threads shows it.
  bool writtenUnseen(const PointerSet &Handle) const {
    return any_of(Handle, [&](const Pointer &H) {
      return H.Base->named() && Process.front().By->Where.writtenUnseen(H, HandleSize);
    });
  }

  /// By what is no store: a std::thread is moved by stores only.
  bool spoiled(const PointerSet &Handle) const {
    return writtenUnseen(Handle) || any_of(Process, [&](const ThreadsOf &T) {
             return any_of(instructions(T.By->F), [&](const Instruction &I) {
               return !isa<StoreInst>(I) && !isa<AnyMemIntrinsic>(I) && writes(I, *T.By, Handle);
             });
           });
  }

  static bool setsToZero(const Instruction &I) {
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Number = Store ? dyn_cast<ConstantInt>(Store->getValueOperand()) : nullptr;
    return isa<AnyMemSetInst>(I) || (Number && Number->isZero());
  }

  /// What is not understood may write.
  static bool writes(const Instruction &I, const CountedThread &By, const PointerSet &Handle) {
    auto isAt = [&](const PointerSet &Place, std::int64_t Size) {
      return any_of(Place, [&](const Pointer &P) {
        return !P.Base->named() ||
               any_of(Handle, [&](const Pointer &H) { return mayShare(P, Size, H, HandleSize); });
      });
    };
    if (auto *Set = dyn_cast<AnyMemIntrinsic>(&I)) {
      auto *Length = dyn_cast<ConstantInt>(Set->getLength());
      return isAt(By.Where.resolve(Set->getRawDest()), Length ? Length->getSExtValue() : Unbounded);
    }
    if (auto *Call = dyn_cast<CallBase>(&I))
      return callWrites(*Call, By, Handle, isAt);
    if (!I.mayWriteToMemory() || isa<LoadInst>(I) || isa<FenceInst>(I))
      return false;
    if (auto Written = MemoryLocation::getOrNone(&I))
      return isAt(By.Where.resolve(Written->Ptr),
                  Written->Size.hasValue() ? std::int64_t(Written->Size.getValue()) : Unbounded);
    return true;
  }

  static bool callWrites(const CallBase &Call, const CountedThread &By, const PointerSet &Handle,
                         function_ref<bool(const PointerSet &, std::int64_t)> IsAt) {
    auto *Intrinsic = dyn_cast<IntrinsicInst>(&Call);
    if (!Call.mayWriteToMemory() || isa<LifetimeIntrinsic>(Call) ||
        (Intrinsic && Intrinsic->isAssumeLikeIntrinsic()))
      return false;
    const ApiRow *Row = Intrinsic ? nullptr : rowOf(Call);
    if (Row && (startsThread(*Row) || Row->What == Api::JoinStd || Row->What == Api::Frees))
      return false;
    // Where nobody knows of the handle, a pointer of which nothing is known does not lead there.
    const bool Shown = any_of(Handle, [&](const Pointer &H) { return By.Where.escaped(H.Base); });
    auto mayLead = [&](PointerSet Place, std::int64_t Size) {
      if (!Shown)
        erase_if(Place, [](const Pointer &P) { return !P.Base->named(); });
      return IsAt(Place, Size);
    };
    return any_of(Call.args(), [&](const Use &Given) {
      if (!Given->getType()->isPtrOrPtrVectorTy())
        return false;
      const unsigned Number = Call.getArgOperandNo(&Given);
      const PointerSet Place = By.Where.resolve(Given);
      if (!Row)
        return mayLead(By.Where.reachable(Place), Unbounded);
      const FurtherUse Further = furtherUse(Call, Number, *Row);
      const ArgumentUse Use = useOf(Call, Number, *Row);
      return (Use.Writes && mayLead(Place, Use.Size)) ||
             (Further.Writes && mayLead(By.Where.behind(Place, Further), Unbounded)) ||
             (Row->What == Api::Scattered && mayLead(By.Where.reachable(Place), Unbounded));
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
    By.Sources.resize(T.Statements.size(), J.Place);
    return T.Statements[New];
  }

  ArrayRef<ThreadsOf> Process;
  Inventory &Stock;
  RemarkLog &Log;
  std::vector<const Spawn *> All;
  std::vector<HandleFlow> Flows; ///< of what the thread at hand starts
  /// A call of which it is not known for which of several threads it waits.
  struct DoubtedCall {
    const JoinSite *Join;
    std::vector<const Spawn *> For;
    LostFactId Fact;
  };
  std::vector<DoubtedCall> Doubted; ///< of the thread at hand
  std::ptrdiff_t Begun;             ///< threads that none of these starts
};

} // namespace

void matchJoins(ArrayRef<ThreadsOf> Process, Inventory &Stock, RemarkLog &Log) {
  Joins All(Process, Stock, Log);
  for (const ThreadsOf &T : Process)
    All.match(T);
}

} // namespace rdma::clang_ir
