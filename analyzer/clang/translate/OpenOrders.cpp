#include "analyzer/clang/translate/OpenOrders.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/frontend/UnorderedOperands.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

#include <map>
#include <set>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// What a function does, or what it calls.
struct Effects {
  bool Posts = false; ///< or polls
  bool Touches = false;
  bool operator|=(const Effects &More) {
    const bool Grows = (More.Posts && !Posts) || (More.Touches && !Touches);
    Posts |= More.Posts, Touches |= More.Touches;
    return Grows;
  }
};

/// Memory that no other call can find otherwise: a variable of the function's own, a constant.
bool isOwn(const Value *Where) {
  const Value *Base = getUnderlyingObject(Where, 0);
  auto *Global = dyn_cast<GlobalVariable>(Base);
  return isa<AllocaInst>(Base) || (Global && Global->isConstant());
}

/// Without what the linker's versions and copies of a function add.
StringRef nameOf(const Function &F) {
  return F.getName().take_until([](char C) { return C == '.' || C == '@'; });
}

class EffectsOf {
public:
  explicit EffectsOf(const Module &M) {
    for (const Function &F : M) {
      ByName[nameOf(F)].push_back(&F);
      if (F.hasAddressTaken())
        ByPointer[F.getFunctionType()].push_back(&F);
    }
    for (const Function &F : M)
      Known[&F] = F.isDeclaration() || rowOf(F) ? ofLibrary(F) : Effects();
    for (bool Grows = true; std::exchange(Grows, false);)
      for (const Function &F : M)
        if (!F.isDeclaration() && !rowOf(F))
          Grows |= Known[&F] |= ofBody(F);
  }

  /// Of functions in sight or not: one that the IR does not have is an intrinsic of the compiler's.
  Effects of(const std::vector<std::string> &Names) const {
    Effects All;
    for (const std::string &Name : Names) {
      auto Found = ByName.find(Name);
      if (Name.empty())
        All |= ofPointer();
      else if (Found == ByName.end())
        All |= {false, true};
      else
        for (const Function *F : Found->second)
          All |= Known.at(F);
    }
    return All;
  }

private:
  Effects ofPointer() const {
    Effects All{false, true};
    for (const auto &[Type, Functions] : ByPointer)
      for (const Function *F : Functions)
        All |= Known.at(F);
    return All;
  }

  static Effects ofLibrary(const Function &F) {
    const ApiRow *Row = rowOf(F);
    return {Row && (posts(Row->What) || polls(Row->What)), !F.doesNotAccessMemory() && !F.isIntrinsic()};
  }

  Effects ofBody(const Function &F) {
    Effects All;
    for (const Instruction &I : instructions(F)) {
      const Value *Where = getLoadStorePointerOperand(&I);
      if (auto *Call = dyn_cast<CallBase>(&I))
        All |= ofCall(*Call);
      else if (I.mayReadOrWriteMemory() && (!Where || !isOwn(Where)))
        All.Touches = true;
    }
    return All;
  }

  Effects ofCall(const CallBase &Call) {
    if (auto *Moves = dyn_cast<AnyMemIntrinsic>(&Call))
      return {false,
              any_of(Moves->args(), [](const Use &U) { return U->getType()->isPointerTy() && !isOwn(U); })};
    if (isa<IntrinsicInst>(Call))
      return {};
    if (const Function *Callee = calledFunction(Call))
      return Known[Callee];
    Effects All{false, true};
    for (const Function *F : ByPointer[Call.getFunctionType()])
      All |= Known[F];
    return All;
  }

  std::map<StringRef, std::vector<const Function *>> ByName;
  std::map<const FunctionType *, std::vector<const Function *>> ByPointer;
  std::map<const Function *, Effects> Known;
};

} // namespace

std::vector<std::pair<const Function *, Place>> openOrders(const Module &M) {
  std::vector<std::pair<const Function *, Place>> All;
  const std::vector<UnorderedOperands> Found = unorderedIn(M);
  if (Found.empty())
    return All;
  const EffectsOf Does(M);
  std::multimap<StringRef, const Function *> Functions;
  for (const Function &F : M)
    Functions.emplace(nameOf(F), &F);
  for (const UnorderedOperands &Each : Found) {
    unsigned Posting = 0, Touching = 0;
    for (const std::vector<std::string> &Callees : Each.Callees) {
      const Effects Here = Does.of(Callees);
      Posting += Here.Posts, Touching += Here.Touches || Here.Posts;
    }
    if (Posting && Touching > 1)
      for (auto [F, End] = Functions.equal_range(Each.Function); F != End; ++F)
        All.emplace_back(F->second, Each.At);
  }
  return All;
}

} // namespace rdma::clang_ir
