#include "analyzer/clang/counts/SetBefore.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/prepare/BeforeMain.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <set>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr unsigned MostCalls = 8; ///< from main to what begins the thread

/// May code that is run from there on come to the function?
class Reach {
public:
  explicit Reach(const Function &Target)
      : Target(Target), ByPointer(!leavesNothingOut(*Target.getParent())) {}

  bool from(const Function &F) {
    if (&F == &Target)
      return true;
    if (!Seen.insert(&F).second)
      return false;
    return any_of(instructions(F), [&](const Instruction &I) {
      auto *Call = dyn_cast<CallBase>(&I);
      return Call && from(*Call);
    });
  }

  bool from(const CallBase &Call) {
    if (isa<IntrinsicInst>(Call))
      return false;
    auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
    return (!Callee && ByPointer) || (Callee && from(*Callee)) ||
           any_of(Call.args(), [&](const Use &Argument) {
             auto *Given = dyn_cast<Function>(Argument->stripPointerCasts());
             return Given && from(*Given);
           });
  }

private:
  const Function &Target;
  /// May a call through a pointer come to functions whose address nobody in sight takes? The others are asked
  /// themselves.
  bool ByPointer;
  std::set<const Function *> Seen;
};

/// Does it leave the place alone, as far as the instruction shows?
bool leavesAlone(const Instruction &I, const Pointer &Where) {
  if (!I.mayWriteToMemory() || isa<DbgInfoIntrinsic, LifetimeIntrinsic>(I))
    return true;
  if (auto *Store = dyn_cast<StoreInst>(&I)) {
    const Value *Into = getUnderlyingObject(Store->getPointerOperand());
    return isa<AllocaInst>(Into) && Into != Where.Base->Root;
  }
  auto *Call = dyn_cast<CallBase>(&I);
  const ApiRow *Row = Call && !isa<IntrinsicInst>(I) ? rowOf(*Call) : nullptr;
  return Row && none_of(seq(Call->arg_size()), [&](unsigned A) {
           return useOf(*Call, A, *Row).Writes || fillsFurther(*Call, A, *Row);
         });
}

/// Is it run by constructors of global objects only, as far as anybody can call it?
bool runsEarlyOnly(const Function &F, unsigned Depth = 0) {
  constexpr unsigned Deepest = 8;
  const GlobalVariable *Table = F.getParent()->getNamedGlobal("llvm.global_ctors");
  auto isInTable = [&](const User *Entry) {
    return Table && isa<ConstantStruct>(Entry) && all_of(Entry->users(), [&](const User *All) {
             return All == Table->getInitializer() && All->hasOneUse();
           });
  };
  return Depth < Deepest && F.hasLocalLinkage() && !F.use_empty() &&
         all_of(
             F.users(),
             [&](const User *U) {
               auto *Call = dyn_cast<CallBase>(U);
               return isInTable(U) || (Call && Call->getCalledOperand() == &F &&
                                       runsEarlyOnly(*Call->getFunction(), Depth + 1));
             });
}

/// Is all that the function may write there written when the thread begins, and never again?
bool isSetBefore(const CountedThread &T, const Function &Writer, const Pointer &Where) {
  const Function *Begun = T.Start ? T.Start->getFunction() : &T.F;
  if (const BeforeMain Early(*Writer.getParent()); T.Once && runsEarlyOnly(Writer) && !Early.mayRun(*Begun))
    return true;
  Reach ToWriter(Writer);
  if (!T.Once || any_of(*Writer.getParent(), [&](const Function &F) {
        return F.hasAddressTaken() && !F.isDeclaration() && ToWriter.from(F);
      }))
    return false;
  for (unsigned Calls = 0; Calls < MostCalls && !isMain(*Begun); ++Calls) {
    auto *Call = Begun->hasOneUse() ? dyn_cast<CallBase>(*Begun->user_begin()) : nullptr;
    if (!Call || Call->getCalledOperand() != Begun)
      return false;
    const Function &Caller = *Call->getFunction();
    for (const Instruction &I : instructions(Caller)) {
      // Behind the call, or the call itself once more.
      if (&I == Call ? none_of(successors(Call->getParent()),
                               [&](const BasicBlock *Next) {
                                 return isPotentiallyReachable(Next, Call->getParent());
                               })
                     : !isPotentiallyReachable(Call, &I))
        continue;
      auto *Inner = dyn_cast<CallBase>(&I);
      if (&I == Call || (Inner && ToWriter.from(*Inner)) || (&Caller == &Writer && !leavesAlone(I, Where)))
        return false;
    }
    Begun = &Caller;
  }
  return isMain(*Begun) && (T.Start || Begun != &T.F);
}

} // namespace

bool mayBeWrittenBeside(const CountedThread &T, const Pointer &Where, std::int64_t Size) {
  if (!T.Where.writtenElsewhere(Where, Size))
    return false;
  std::optional<std::set<const Function *>> Writers = T.Where.setUpWriters(Where, Size);
  return !Writers || !all_of(*Writers, [&](const Function *F) { return isSetBefore(T, *F, Where); });
}

} // namespace rdma::clang_ir
