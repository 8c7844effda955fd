#include "analyzer/clang/translate/ShownFunctions.h"
#include "analyzer/clang/api/Declared.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <set>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// The tables of what a std::thread is given, which is run by that thread only.
constexpr StringRef StatesOfThreads = "_ZTVNSt6thread11_State_impl";
constexpr StringRef MakerOfThreads = "_ZNSt6threadC";

/// Other files call it, or whoever has its address. They have templates of the library for types of their
/// own.
bool isBegunByOthers(const Function &F) {
  return F.hasAddressTaken() || (!F.hasLocalLinkage() && declarerOf(F) != Declarer::Standard);
}

/// std::function gives what it holds to the function that it has for that.
bool isOwnCall(const CallBase &Call, const Value &Given) {
  auto *Callee = dyn_cast<LoadInst>(Call.getCalledOperand());
  return Callee && declarerOf(*Call.getFunction()) == Declarer::Standard &&
         getUnderlyingObject(Callee->getPointerOperand(), 0) == getUnderlyingObject(&Given, 0);
}

/// Follows an address through the variables and tables that hold it. What leads to a table counts as what is
/// in it.
class Trail {
public:
  bool leadsOut(const Value &V) {
    return Seen.insert(&V).second && any_of(V.uses(), [&](const Use &U) { return leadsOut(U); });
  }

private:
  bool leadsOut(const Use &U) {
    const User *By = U.getUser();
    if (auto *Variable = dyn_cast<GlobalValue>(By))
      return !Variable->getName().starts_with(StatesOfThreads) && (isNamed(*Variable) || leadsOut(*Variable));
    if (auto *Call = dyn_cast<CallBase>(By))
      return isGiven(*Call, U);
    if (auto *Store = dyn_cast<StoreInst>(By))
      return U.getOperandNo() == 0 && isPlaceOfOthers(*Store->getPointerOperand());
    if (auto *Return = dyn_cast<ReturnInst>(By))
      return isReturned(*Return->getFunction());
    return !isa<CmpInst>(By) && leadsOut(*By);
  }

  /// By itself, or as part of its section.
  static bool isNamed(const GlobalValue &Variable) {
    return !Variable.hasAppendingLinkage() && (!Variable.hasLocalLinkage() || Variable.hasSection());
  }

  bool isGiven(const CallBase &Call, const Use &U) {
    if (Call.isCallee(&U))
      return false;
    if (auto *Copy = dyn_cast<MemTransferInst>(&Call))
      return U.getOperandNo() == 1 && isPlaceOfOthers(*Copy->getDest());
    const Function *Callee = calledFunction(Call);
    if (!Callee)
      return !isOwnCall(Call, *U);
    if (!Call.isArgOperand(&U))
      return false;
    if (Callee->isDeclaration() || Callee->getName().starts_with(MakerOfThreads))
      return false;
    const unsigned At = Call.getArgOperandNo(&U);
    return At >= Callee->arg_size() || leadsOut(*Callee->getArg(At));
  }

  bool isReturned(const Function &From) {
    return isBegunByOthers(From) || any_of(From.users(), [&](const User *Call) { return leadsOut(*Call); });
  }

  /// What is put there goes where the address of the place goes.
  bool isPlaceOfOthers(const Value &Where) {
    const Value *Place = getUnderlyingObject(&Where, 0);
    if (auto *Argument = dyn_cast<llvm::Argument>(Place))
      return isArgumentOfOthers(*Argument);
    if (auto *Variable = dyn_cast<GlobalVariable>(Place))
      return isNamed(*Variable) || leadsOut(*Variable);
    if (isa<AllocaInst>(Place) || isNoAliasCall(Place))
      return leadsOut(*Place);
    auto *Loaded = dyn_cast<LoadInst>(Place);
    return !Loaded || !isa<AllocaInst>(Loaded->getPointerOperand()) ||
           isAnyOfOthers(*Loaded->getPointerOperand());
  }

  /// Of the places that a local pointer is set to.
  bool isAnyOfOthers(const Value &Local) {
    return Set.insert(&Local).second && any_of(Local.users(), [&](const User *U) {
             if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getPointerOperand() == &Local)
               return isPlaceOfOthers(*Store->getValueOperand());
             auto *Call = dyn_cast<IntrinsicInst>(U);
             return !isa<LoadInst>(U) && !(Call && Call->isAssumeLikeIntrinsic());
           });
  }

  bool isArgumentOfOthers(const Argument &A) {
    const Function &F = *A.getParent();
    if (isBegunByOthers(F))
      return true;
    return Set.insert(&A).second && any_of(F.users(), [&](const User *U) {
             auto *Call = dyn_cast<CallBase>(U); // a label of a computed goto is a user, too
             return Call && isPlaceOfOthers(*Call->getArgOperand(A.getArgNo()));
           });
  }

  std::set<const Value *> Seen; ///< what the address is in
  std::set<const Value *> Set;  ///< pointers to where it is put
};

} // namespace

bool isShown(const Function &F) { return Trail().leadsOut(F); }

} // namespace rdma::clang_ir
