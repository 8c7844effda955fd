#include "analyzer/clang/prepare/RunOnce.h"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Of the words: said of a variable.
constexpr StringLiteral IsWord = "rdma-once";

/// Writes the functions that stand for the libraries', one for each word and call.
class Once {
public:
  explicit Once(Module &M) : M(M), Int(Type::getInt32Ty(M.getContext())) {
    auto *Type = FunctionType::get(Int, {PointerType::getUnqual(M.getContext())}, false);
    Take = cast<Function>(M.getOrInsertFunction("pthread_mutex_lock", Type).getCallee());
    Give = cast<Function>(M.getOrInsertFunction("pthread_mutex_unlock", Type).getCallee());
    Take->setDoesNotThrow();
    Give->setDoesNotThrow();
  }

  /// int __cxa_guard_acquire(word): not zero where the caller has to set up, and holds the lock.
  Function *begin(GlobalVariable &Word) {
    Word.addAttribute(IsWord);
    return made(Word, "begin", [&](Function &F) {
      BasicBlock *Entry = block(F), *Locked = block(F), *SetUp = block(F), *Over = block(F), *Done = block(F);
      IRBuilder<> Build(Entry); // the library looks once more, and then there is no fence either
      Build.CreateCondBr(isOpen(Build, Word, Build.getInt8Ty()), Locked, Done);
      Build.SetInsertPoint(Locked);
      Build.CreateCall(Take, {lockOf(Word)});
      Build.CreateCondBr(isOpen(Build, Word, Build.getInt8Ty()), SetUp, Over);
      Build.SetInsertPoint(SetUp);
      Build.CreateRet(Build.getInt32(1));
      Build.SetInsertPoint(Over);
      Build.CreateCall(Give, {lockOf(Word)});
      Build.CreateBr(Done);
      Build.SetInsertPoint(Done);
      Build.CreateRet(Build.getInt32(0));
    });
  }

  /// __cxa_guard_release(word), and __cxa_guard_abort(word), behind which it is to be set up again.
  Function *end(GlobalVariable &Word, bool Done) {
    return made(Word, Done ? "end" : "abort", [&](Function &F) {
      IRBuilder<> Build(block(F));
      if (Done)
        close(Build, Word, Build.getInt8Ty());
      Build.CreateCall(Give, {lockOf(Word)});
      Build.CreateRet(Build.getInt32(0));
    });
  }

  /// pthread_once(word, Run), with what Run is given.
  Function *run(GlobalVariable &Word, Function &Run, FunctionType &Type) {
    if (Word.hasLocalLinkage())
      Word.addAttribute(IsWord);
    return made(Word, "run." + Run.getName().str(), [&](Function &F) { write(F, Word, Run); }, &Type);
  }

private:
  Function *made(GlobalVariable &Word, const std::string &What, function_ref<void(Function &)> Write,
                 FunctionType *Type = nullptr) {
    Function *&F = Known[{&Word, What}];
    if (!F) {
      F = Function::Create(Type ? Type : FunctionType::get(Int, false), GlobalValue::InternalLinkage,
                           "rdma_once." + What + "." + Word.getName(), M);
      Write(*F);
    }
    return F;
  }

  void write(Function &F, GlobalVariable &Word, Function &Run) {
    BasicBlock *Entry = block(F), *Again = block(F), *Locked = block(F), *SetUp = block(F), *Over = block(F),
               *Done = block(F), *Thrown = block(F), *End = block(F);
    IRBuilder<> Build(Entry);
    Build.CreateCondBr(isOpen(Build, Word, Int), Again, End);
    Build.SetInsertPoint(Again); // and the library looks once more, which is no fence either
    Build.CreateCondBr(isOpen(Build, Word, Int), Locked, End);
    Build.SetInsertPoint(Locked);
    Build.CreateCall(Take, {lockOf(Word)});
    Build.CreateCondBr(isOpen(Build, Word, Int), SetUp, Over);
    Build.SetInsertPoint(SetUp);
    SmallVector<Value *, 4> Given;
    for (unsigned I = 0; I < Run.arg_size(); ++I)
      Given.push_back(F.getArg(I));
    Build.CreateInvoke(&Run, Done, Thrown, Given);
    Build.SetInsertPoint(Thrown);
    F.setPersonalityFn(cast<Constant>(
        M.getOrInsertFunction("__gxx_personality_v0", FunctionType::get(Int, true)).getCallee()));
    LandingPadInst *Pad =
        Build.CreateLandingPad(StructType::get(PointerType::getUnqual(M.getContext()), Int), 0);
    Pad->setCleanup(true);
    Build.CreateCall(Give, {lockOf(Word)});
    Build.CreateResume(Pad);
    Build.SetInsertPoint(Done);
    close(Build, Word, Int);
    Build.CreateBr(Over);
    Build.SetInsertPoint(Over);
    Build.CreateCall(Give, {lockOf(Word)});
    Build.CreateBr(End);
    Build.SetInsertPoint(End);
    F.getReturnType()->isVoidTy() ? Build.CreateRetVoid() : Build.CreateRet(Build.getInt32(0));
  }

  BasicBlock *block(Function &F) { return BasicBlock::Create(M.getContext(), "", &F); }

  static Value *isOpen(IRBuilder<> &Build, GlobalVariable &Word, Type *Read) {
    LoadInst *Load = Build.CreateAlignedLoad(Read, &Word, Align(Read->getScalarSizeInBits() / 8));
    Load->setAtomic(AtomicOrdering::Acquire);
    return Build.CreateICmpEQ(Load, Constant::getNullValue(Read));
  }

  static void close(IRBuilder<> &Build, GlobalVariable &Word, Type *Written) {
    StoreInst *Store = Build.CreateAlignedStore(ConstantInt::get(Written, 1), &Word,
                                                Align(Written->getScalarSizeInBits() / 8));
    Store->setAtomic(AtomicOrdering::Release);
  }

  GlobalVariable *lockOf(GlobalVariable &Word) {
    GlobalVariable *&Lock = Locks[&Word];
    if (!Lock) {
      auto *Mutex = ArrayType::get(Type::getInt64Ty(M.getContext()), 5);
      Lock = new GlobalVariable(M, Mutex, false, GlobalValue::InternalLinkage, Constant::getNullValue(Mutex),
                                "lock of " + Word.getName());
    }
    return Lock;
  }

  Module &M;
  Type *Int;
  Function *Take, *Give;
  std::map<const GlobalVariable *, GlobalVariable *> Locks;
  std::map<std::pair<const GlobalVariable *, std::string>, Function *> Known;
};

/// A variable of the sources, of which there is one, and which begins as zero.
GlobalVariable *wordOf(const CallBase &Call) {
  auto *Word = Call.arg_empty() ? nullptr : dyn_cast<GlobalVariable>(Call.getArgOperand(0));
  const bool Here = Word && Word->hasInitializer() && !Word->isInterposable() && !Word->isThreadLocal();
  return Here && Word->getInitializer()->isNullValue() ? Word : nullptr;
}

/// The function of the library, and no other by its name.
Function *ofLibrary(Module &M, StringRef Name) {
  Function *F = M.getFunction(Name);
  return F && F->isDeclaration() ? F : nullptr;
}

template <class Visit> void eachCall(Function *F, Visit See) {
  if (F)
    for (User *U : make_early_inc_range(F->users()))
      if (auto *Call = dyn_cast<CallBase>(U); Call && Call->getCalledOperand() == F)
        See(*Call);
}

/// The same call, of another function, with the first arguments only.
void callInstead(CallBase &Call, Function &F) {
  SmallVector<Value *, 4> Given(Call.arg_begin(), Call.arg_begin() + F.arg_size());
  CallBase *New;
  if (auto *Invoke = dyn_cast<InvokeInst>(&Call))
    New = InvokeInst::Create(&F, Invoke->getNormalDest(), Invoke->getUnwindDest(), Given, "",
                             Call.getIterator());
  else
    New = CallInst::Create(&F, Given, "", Call.getIterator());
  New->setDebugLoc(Call.getDebugLoc());
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(New);
  Call.eraseFromParent();
}

void guardVariables(Module &M, Once &Make) {
  Function *Begin = ofLibrary(M, "__cxa_guard_acquire"), *End = ofLibrary(M, "__cxa_guard_release"),
           *Abort = ofLibrary(M, "__cxa_guard_abort");
  eachCall(Begin, [&](CallBase &Call) {
    if (GlobalVariable *Word = wordOf(Call))
      callInstead(Call, *Make.begin(*Word));
  });
  for (Function *F : {End, Abort})
    eachCall(F, [&](CallBase &Call) {
      if (GlobalVariable *Word = wordOf(Call))
        callInstead(Call, *Make.end(*Word, F == End));
    });
}

/// In the place of a call, Given on Object, or nothing.
void replaceBy(CallBase &Call, Function *Given, Value *Object) {
  IRBuilder<> Build(&Call);
  auto *Invoke = dyn_cast<InvokeInst>(&Call);
  if (Invoke && Given) {
    Build.CreateInvoke(Given, Invoke->getNormalDest(), Invoke->getUnwindDest(), {Object});
  } else if (Given) {
    Build.CreateCall(Given, {Object});
  } else if (Invoke) {
    Invoke->getUnwindDest()->removePredecessor(Invoke->getParent());
    Build.CreateBr(Invoke->getNormalDest());
  }
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(Constant::getNullValue(Call.getType()));
  Call.eraseFromParent();
}

/// std::call_once<...> without the question whether it has been done; null where it is not as we know it: a
/// lambda of its own that calls what it is given, left to __once_proxy.
Function *unasked(Function &CallOnce) {
  Module &M = *CallOnce.getParent();
  Function *Given = M.getFunction(("_ZZ" + CallOnce.getName().drop_front(2) + "ENKUlvE_clEv").str());
  if (!Given || Given->isDeclaration() || Given->arg_size() != 1)
    return nullptr;
  ValueToValueMapTy Values;
  Function *F = CloneFunction(&CallOnce, Values);
  F->setName("rdma_once.unasked");
  F->setComdat(nullptr);
  F->setLinkage(GlobalValue::InternalLinkage);
  std::vector<CallBase *> Asks, Leaves;
  for (Instruction &I : instructions(*F))
    if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction()) {
      StringRef Name = Call->getCalledFunction()->getName();
      if (Name.starts_with("_ZL14__gthread_once"))
        Asks.push_back(Call);
      else if (Name.starts_with("_ZNSt9once_flag18_Prepare_executionC") && Call->arg_size() == 2)
        Leaves.push_back(Call);
    }
  auto *Proxy = Asks.size() == 1 ? dyn_cast<Function>(Asks[0]->getArgOperand(1)) : nullptr;
  if (!Proxy || !Proxy->isDeclaration() || Proxy->getName() != "__once_proxy" || Leaves.size() != 1) {
    F->eraseFromParent();
    return nullptr;
  }
  F->setAttributes(F->getAttributes().removeParamAttributes(M.getContext(), 0)); // nobody looks at the flag
  replaceBy(*Asks[0], Given, Leaves[0]->getArgOperand(1));
  replaceBy(*Leaves[0], nullptr, nullptr);
  return F;
}

/// What nobody calls any more would be code that no entry reaches.
void eraseUnused(Module &M) {
  auto isOfCallOnce = [](const Function &F) {
    return F.getName().starts_with("_ZSt9call_onceI") || F.getName().contains("St9once_flag18_Prepare_exec");
  };
  for (bool Erased = true; Erased;) {
    Erased = false;
    for (Function &F : make_early_inc_range(M))
      if (F.use_empty() && F.isDiscardableIfUnused() && !F.isDeclaration() && isOfCallOnce(F)) {
        F.eraseFromParent();
        Erased = true;
      }
  }
}

void callOnce(Module &M, Once &Make) {
  std::vector<Function *> All;
  for (Function &F : M)
    if (!F.isDeclaration() && F.getName().starts_with("_ZSt9call_onceI"))
      All.push_back(&F);
  for (Function *F : All)
    if (Function *Run = unasked(*F))
      eachCall(F, [&](CallBase &Call) {
        if (GlobalVariable *Word = wordOf(Call)) {
          Call.setArgOperand(0, Constant::getNullValue(Call.getArgOperand(0)->getType()));
          callInstead(Call, *Make.run(*Word, *Run, *F->getFunctionType()));
        }
      });
  eraseUnused(M);
}

/// Written by what is done once only; nobody else has its address.
bool isOnlySet(const GlobalVariable &Word) {
  return Word.hasAttribute(IsWord) && all_of(Word.users(), [&](const User *U) {
           auto *Store = dyn_cast<StoreInst>(U);
           auto *Value = Store ? dyn_cast<ConstantInt>(Store->getValueOperand()) : nullptr;
           return isa<LoadInst>(U) || (Value && Value->isOne() && Store->getPointerOperand() == &Word);
         });
}

/// Where a word has been seen set, or was set by the thread itself.
class Done {
public:
  Done(Function &F, const GlobalVariable &Word) : Word(Word) {
    std::vector<const BasicBlock *> Work{&F.getEntryBlock()};
    Entering[Work.front()] = false;
    while (!Work.empty()) {
      const BasicBlock *Block = Work.back();
      Work.pop_back();
      for (unsigned Way = 0; Way < Block->getTerminator()->getNumSuccessors(); ++Way) {
        const BasicBlock *Next = Block->getTerminator()->getSuccessor(Way);
        const bool Then = behind(*Block) || seenSet(*Block, Way);
        auto [Known, New] = Entering.try_emplace(Next, Then);
        if (New || (Known->second && !Then)) {
          Known->second = Then;
          Work.push_back(Next);
        }
      }
    }
  }

  bool at(const LoadInst &Look) const {
    auto Known = Entering.find(Look.getParent());
    bool Now = Known != Entering.end() && Known->second;
    for (const Instruction &I : *Look.getParent()) {
      if (&I == &Look)
        break;
      Now |= sets(I);
    }
    return Now;
  }

private:
  bool sets(const Instruction &I) const {
    auto *Store = dyn_cast<StoreInst>(&I);
    return Store && Store->getPointerOperand() == &Word;
  }
  bool behind(const BasicBlock &Block) const {
    return Entering.at(&Block) || any_of(Block, [&](const Instruction &I) { return sets(I); });
  }
  /// By a test of the word itself at the end of the block.
  bool seenSet(const BasicBlock &Block, unsigned Way) const {
    auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
    auto *Look = Test ? dyn_cast<LoadInst>(Test->getOperand(0)) : nullptr;
    auto *Zero = Test ? dyn_cast<ConstantInt>(Test->getOperand(1)) : nullptr;
    if (!Look || Look->getPointerOperand() != &Word || !Zero || !Zero->isZero() || !Test->isEquality())
      return false;
    return Way == (Test->getPredicate() == ICmpInst::ICMP_EQ ? 1U : 0U);
  }

  const GlobalVariable &Word;
  std::map<const BasicBlock *, bool> Entering;
};

} // namespace

bool leaveOutWhatIsDone(Function &F) {
  std::map<GlobalVariable *, std::vector<LoadInst *>> Looks;
  for (Instruction &I : instructions(F))
    if (auto *Look = dyn_cast<LoadInst>(&I))
      if (auto *Word = dyn_cast<GlobalVariable>(Look->getPointerOperand()); Word && isOnlySet(*Word))
        Looks[Word].push_back(Look);
  bool Found = false;
  for (auto &[Word, All] : Looks) {
    const Done Set(F, *Word);
    for (LoadInst *Look : All)
      if (Set.at(*Look) && !Look->use_empty()) {
        Look->replaceAllUsesWith(ConstantInt::get(Look->getType(), 1));
        Found = true;
      }
  }
  return Found;
}

void runOnce(Module &M) {
  for (StringRef Name : {"pthread_mutex_lock", "pthread_mutex_unlock"})
    if (Function *F = M.getFunction(Name); F && !F->isDeclaration())
      return;
  Function *Run = ofLibrary(M, "pthread_once");
  if (!Run && !M.getFunction("__cxa_guard_acquire"))
    return;
  Once Make(M);
  guardVariables(M, Make);
  callOnce(M, Make);
  eachCall(Run, [&](CallBase &Call) {
    auto *F = dyn_cast<Function>(Call.getArgOperand(1));
    GlobalVariable *Word = wordOf(Call);
    if (Word && F && !F->isDeclaration() && F->arg_empty())
      callInstead(Call, *Make.run(*Word, *F, *FunctionType::get(Call.getType(), false)));
  });
}

} // namespace rdma::clang_ir
