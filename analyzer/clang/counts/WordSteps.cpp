#include "analyzer/clang/counts/WordSteps.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/counts/Region.h"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace rdma::clang_ir {

using namespace llvm;
using namespace PatternMatch;

namespace {

constexpr std::int64_t SemaphoreSize = 4; ///< of its number, which comes first

StringRef nameOf(const Instruction &I) {
  auto *Call = isa<IntrinsicInst>(I) ? nullptr : dyn_cast<CallBase>(&I);
  const ApiRow *Row = Call ? rowOf(*Call) : nullptr;
  return Row ? StringRef(Row->Name) : "";
}

std::optional<WordStep> ofSemaphore(const Instruction &I) {
  const StringRef Name = nameOf(I);
  const bool Posts = Name == "sem_post";
  if (!Posts && Name != "sem_wait" && Name != "sem_trywait" && Name != "sem_timedwait" &&
      Name != "sem_clockwait")
    return std::nullopt;
  auto *One = ConstantInt::get(Type::getInt32Ty(I.getContext()), 1);
  return WordStep{I.getOperand(0), SemaphoreSize, One, !Posts, !Posts, Posts, !Posts};
}

} // namespace

std::optional<WordStep> wordStep(const Instruction &I) {
  auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
  if (!Exchange)
    return ofSemaphore(I);
  const Value *Found = Exchange->getCompareOperand(), *Becomes = Exchange->getNewValOperand();
  ConstantInt *By;
  const bool Minus = match(Becomes, m_Sub(m_Specific(Found), m_ConstantInt(By)));
  if (!Minus && !match(Becomes, m_Add(m_Specific(Found), m_ConstantInt(By))))
    return std::nullopt;
  const AtomicOrdering Order = Exchange->getSuccessOrdering();
  return WordStep{Exchange->getPointerOperand(),
                  static_cast<std::int64_t>(I.getDataLayout().getTypeStoreSize(Found->getType())),
                  By,
                  Minus,
                  isAcquireOrStronger(Order),
                  isReleaseOrStronger(Order),
                  false};
}

const Value *semaphoreBegin(const Instruction &I) {
  return nameOf(I) == "sem_init" ? I.getOperand(2) : nullptr;
}

bool mayBeInterrupted(const Module &M) {
  return any_of(M, [](const Function &F) {
    StringRef Name = F.getName();
    return !F.use_empty() && (Name.contains("sigaction") || Name.ends_with("signal") || Name == "sigset" ||
                              Name == "siginterrupt");
  });
}

/// The shared word that the instruction changes in one step, or sets up, of which nothing else changes; -1:
/// none.
int Region::sharedWord(const Instruction &I) {
  const std::optional<WordStep> Step = wordStep(I);
  const Value *At = Step ? Step->At : semaphoreBegin(I) ? I.getOperand(0) : nullptr;
  const int C = At ? S.Memory.at(S.T.Where.resolve(At), Step ? Step->Size : SemaphoreSize) : -1;
  const SharedCounter *Counter = C >= 0 ? S.Memory.all()[C].Shared : nullptr;
  return Counter && !Counter->Stored && (!Step || Counter->Adds.count(&I)) ? C : -1;
}

/// Where it succeeds, the thread's own part is so much more, and what was found there is what it was compared
/// with, or not zero.
void Region::stepWord(const Instruction &I, unsigned C, State &Now) {
  const SharedCounter &Counter = *S.Memory.all()[C].Shared;
  z3::expr &Own = Now[S.cell(C)];
  if (const Value *Begin = semaphoreBegin(I)) {
    Own = Counter.Own || S.Memory.late(Counter, I) ? fresh("v") : value(Begin);
    return;
  }
  const WordStep Step = *wordStep(I);
  auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I);
  z3::expr Succeeds = S.Context.bool_val(true);
  if (Exchange)
    Succeeds = fresh("x") == 1;
  else if (Step.Waits && (!I.use_empty() || nameOf(I) != "sem_wait" || mayBeInterrupted(*I.getModule())))
    Succeeds = value(&I) == 0;
  if (Counter.Reads.count(&I)) {
    const z3::expr Found = readShared(I, C, Now);
    const z3::expr Fits = Exchange ? Found == value(Exchange->getCompareOperand()) : Found >= 1;
    Assumed.push_back(z3::implies(Reach.at(I.getParent()) && Succeeds, Fits));
  }
  const z3::expr By = value(Step.By);
  Own = z3::ite(Succeeds, Step.Minus ? Own - By : Own + By, Own);
  if (Exchange)
    for (const User *U : I.users())
      if (auto *Part = dyn_cast<ExtractValueInst>(U); Part && Part->getIndices() == ArrayRef{1u})
        Values.insert_or_assign(Part, z3::ite(Succeeds, number(1), number(0)));
}

} // namespace rdma::clang_ir
