#include "analyzer/clang/prepare/Lookups.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/prepare/EndsOfFrames.h"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/Local.h>

#include <set>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// The name of a member function of a map of the C++ library; empty: it is none.
StringRef memberOfMap(const Function *F) {
  const DISubprogram *Program = F && declarerOf(*F) == Declarer::Standard ? F->getSubprogram() : nullptr;
  auto *Class = Program ? dyn_cast_or_null<DICompositeType>(Program->getScope()) : nullptr;
  bool IsMap =
      Class && (Class->getName().starts_with("unordered_map<") || Class->getName().starts_with("map<"));
  return IsMap ? Program->getName() : "";
}

struct Lookup {
  CallBase *Call;
  const Value *map() const { return Call->getArgOperand(0); }
  const Value *key() const { return Call->getArgOperand(1); }
};

bool isLookup(const CallBase &Call) {
  StringRef Name = memberOfMap(Call.getCalledFunction());
  return (Name == "operator[]" || Name == "at") && Call.arg_size() == 2 && Call.getType()->isPointerTy();
}

/// The same pointer whenever both are computed from the same values.
bool samePointer(const Value *A, const Value *B) {
  if (A == B)
    return true;
  auto *X = dyn_cast<GetElementPtrInst>(A), *Y = dyn_cast<GetElementPtrInst>(B);
  return X && Y && X->hasAllConstantIndices() && X->isIdenticalTo(Y);
}

/// A variable that only its function and the lookups that it is given to see.
struct KeyVariable {
  const AllocaInst *Variable = nullptr;
  std::vector<const StoreInst *> Stores;
};

std::optional<KeyVariable> keyVariable(const Value *Key) {
  KeyVariable K{dyn_cast<AllocaInst>(Key), {}};
  if (!K.Variable)
    return std::nullopt;
  for (const User *U : K.Variable->users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    auto *Call = dyn_cast<CallBase>(U);
    if (Store && Store->getPointerOperand() == Key &&
        Store->getValueOperand()->getType() == K.Variable->getAllocatedType() &&
        Store->getValueOperand() != Key && !Store->isVolatile())
      K.Stores.push_back(Store);
    else if (!isa<LoadInst>(U) && !saysLife(*U) && !(Call && isLookup(*Call)))
      return std::nullopt;
  }
  return K;
}

/// What can run behind the first and before the second, of which the first dominates the second.
std::set<const Instruction *> between(const Instruction &First, const Instruction &Second) {
  std::set<const Instruction *> Found;
  std::set<const BasicBlock *> Seen;
  std::vector<const Instruction *> Work;
  auto leave = [&](const BasicBlock &Block) {
    for (const BasicBlock *Before : predecessors(&Block))
      if (Seen.insert(Before).second)
        Work.push_back(Before->getTerminator());
  };
  auto walk = [&](const Instruction *I) {
    for (; I && I != &First; I = I->getPrevNode())
      Found.insert(I);
    return I == nullptr;
  };
  if (walk(Second.getPrevNode()))
    leave(*Second.getParent());
  while (!Work.empty()) {
    const Instruction *End = Work.back();
    Work.pop_back();
    if (walk(End))
      leave(*End->getParent());
  }
  return Found;
}

/// Is the map a local variable that nothing but members of maps is given?
bool staysHere(const Value *Map) {
  auto *Variable = dyn_cast<AllocaInst>(Map);
  return Variable && all_of(Variable->users(), [&](const User *U) {
           auto *Call = dyn_cast<CallBase>(U);
           if (!Call || saysLife(*U))
             return saysLife(*U);
           unsigned Given = count_if(Call->args(), [&](const Use &A) { return A.get() == Map; });
           return Given == 1 && Call->getArgOperand(0) == Map &&
                  !memberOfMap(Call->getCalledFunction()).empty();
         });
}

class Sharing {
public:
  explicit Sharing(Function &F) : F(F), Tree(F) {}

  bool run() {
    std::vector<Lookup> All;
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && isLookup(*Call))
        All.push_back({Call});
    std::set<const CallBase *> Gone;
    std::vector<std::pair<Lookup, Lookup>> Same;
    for (const Lookup &Later : All)
      for (const Lookup &Earlier : All)
        if (!Gone.contains(Later.Call) && Earlier.Call != Later.Call && !Gone.contains(Earlier.Call) &&
            isSame(Earlier, Later)) {
          Gone.insert(Later.Call);
          Same.push_back({Earlier, Later});
        }
    for (auto &[Earlier, Later] : Same)
      replace(Earlier, Later);
    return !Same.empty();
  }

private:
  bool isSame(const Lookup &Earlier, const Lookup &Later) const {
    if (Earlier.Call->getType() != Later.Call->getType() || !samePointer(Earlier.map(), Later.map()) ||
        !Tree.dominates(Earlier.Call, Later.Call))
      return false;
    std::set<const Instruction *> Between = between(*Earlier.Call, *Later.Call);
    bool Local = staysHere(Later.map());
    return sameKey(Earlier, Later, Between) &&
           none_of(Between, [&](const Instruction *I) { return mayErase(*I, Later.map(), Local); });
  }

  bool sameKey(const Lookup &Earlier, const Lookup &Later,
               const std::set<const Instruction *> &Between) const {
    std::optional<KeyVariable> A = keyVariable(Earlier.key()), B = keyVariable(Later.key());
    if (!A || !B || A->Variable->getAllocatedType() != B->Variable->getAllocatedType())
      return false;
    if (A->Variable == B->Variable)
      return none_of(A->Stores, [&](const StoreInst *S) { return Between.contains(S); });
    // A value that is stored once, before the lookup, is that of the last time it was computed.
    auto once = [&](const KeyVariable &K, const CallBase *Before) -> const Value * {
      bool Once = K.Stores.size() == 1 && Tree.dominates(K.Stores.front(), Before);
      return Once ? K.Stores.front()->getValueOperand() : nullptr;
    };
    const Value *First = once(*A, Earlier.Call);
    return First && First == once(*B, Later.Call);
  }

  /// References to elements outlive further insertions and rehashing. A map that others can reach may be
  /// changed by any code of the program, and by another thread where this one waits for it.
  static bool mayErase(const Instruction &I, const Value *Map, bool Local) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call)
      return !Local && (I.isAtomic() || I.isVolatile());
    if (isa<IntrinsicInst>(Call) || isLookup(*Call))
      return false;
    if (Local)
      return any_of(Call->args(), [&](const Use &A) { return A.get() == Map; });
    const Function *Callee = Call->getCalledFunction();
    return !Callee || declarerOf(*Callee) != Declarer::Verbs;
  }

  static void replace(const Lookup &Earlier, const Lookup &Later) {
    CallBase *Call = Later.Call;
    if (auto *Invoke = dyn_cast<InvokeInst>(Call))
      Call = changeToCall(Invoke);
    Call->replaceAllUsesWith(Earlier.Call);
    Call->eraseFromParent();
  }

  Function &F;
  DominatorTree Tree;
};

} // namespace

bool shareLookups(Function &F) { return Sharing(F).run(); }

} // namespace rdma::clang_ir
