#include "analyzer/clang/prepare/Pipeline.h"
#include "analyzer/clang/api/CxxStreams.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/prepare/CaughtExceptions.h"
#include "analyzer/clang/prepare/EndsOfFrames.h"
#include "analyzer/clang/prepare/KnownRanges.h"
#include "analyzer/clang/prepare/LibraryWaits.h"
#include "analyzer/clang/prepare/LockedTogether.h"
#include "analyzer/clang/prepare/Lookups.h"
#include "analyzer/clang/prepare/MemberPointers.h"
#include "analyzer/clang/prepare/NaturalLoops.h"
#include "analyzer/clang/prepare/RunOnce.h"
#include "analyzer/clang/prepare/UncaughtExceptions.h"
#include "analyzer/clang/prepare/Unrolling.h"
#include "analyzer/clang/prepare/UnsetVariables.h"
#include "analyzer/clang/prepare/WaitedTogether.h"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/JumpThreading.h>
#include <llvm/Transforms/Scalar/SCCP.h>
#include <llvm/Transforms/Scalar/SROA.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

SimplifyCFGOptions carefulOptions() {
  SimplifyCFGOptions Options;
  return Options.bonusInstThreshold(0)
      .convertSwitchToLookupTable(false)
      .convertSwitchRangeToICmp(false)
      .forwardSwitchCondToPhi(false)
      .hoistCommonInsts(false)
      .sinkCommonInsts(false)
      .speculateBlocks(false);
}

/// SimplifyCFG merges two conditional stores to one address, and moves loads in front of a branch, whatever
/// its options say, but for these switches.
void keepConditionalAccesses() {
  auto &Known = cl::getRegisteredOptions();
  if (auto Found = Known.find("simplifycfg-merge-cond-stores"); Found != Known.end())
    static_cast<cl::opt<bool> *>(Found->second)->setValue(false);
  if (auto Found = Known.find("two-entry-phi-node-folding-threshold"); Found != Known.end())
    static_cast<cl::opt<unsigned> *>(Found->second)->setValue(0);
}

/// With the types of its parameters, which say what a call does with what it is given.
DISubprogram *declarationOf(const DISubprogram &P) {
  return DISubprogram::get(P.getContext(), P.getScope(), P.getName(), P.getLinkageName(), P.getFile(),
                           P.getLine(), P.getType(), P.getScopeLine(), nullptr, 0, 0, P.getFlags(),
                           P.getSPFlags() & ~DISubprogram::SPFlagDefinition, nullptr);
}

/// What a header defines, and the table of functions knows as a call: a symbol, or else empty.
std::string knownAsCall(const Function &F) {
  const DISubprogram *Program = F.isDeclaration() ? nullptr : F.getSubprogram();
  if (!Program)
    return "";
  // verbs.h has these inline, <rdma/order.h> once for all sources. In C++ their symbols may be mangled.
  if (declarerOf(F) == Declarer::Verbs) {
    std::string Name = Program->getName().str();
    bool IsVerbs = StringRef(Name).ltrim('_').starts_with("ibv_");
    return IsVerbs || (StringRef(Name).starts_with("rdma_") && apiOf(Name)) ? Name : "";
  }
  // They call virtual functions of the library's.
  const ApiRow *Row = apiOf(F.getName());
  const bool Stream = Row && isOfStream(*Row) && !ledElsewhere(*F.getParent());
  return Stream && declarerOf(F) == Declarer::Standard ? F.getName().str() : "";
}

/// C functions of other libraries do not throw; functions of the program are to be inlined whatever they say.
void relax(Module &M) {
  for (Function &F : M) {
    if (std::string Name = knownAsCall(F); !Name.empty()) {
      DISubprogram *Declared = declarationOf(*F.getSubprogram());
      F.deleteBody();
      F.setComdat(nullptr);
      F.setName(Name);
      F.setSubprogram(Declared);
    }
    // What else these headers have, the program calls, and nobody from outside.
    if (!F.isDeclaration() && !F.hasLocalLinkage() && declarerOf(F) == Declarer::Verbs) {
      F.setComdat(nullptr);
      F.setLinkage(GlobalValue::InternalLinkage);
    }
    if (F.isDeclaration()) {
      const ApiRow *Row = apiOf(F.getName());
      bool Unwinds = Row && Row->What == Api::EndThread; // destructors run
      if (!F.getName().starts_with("_Z") && !F.getName().starts_with("__cxa_") &&
          !F.getName().starts_with("_Unwind") && !Unwinds)
        F.setDoesNotThrow();
      continue;
    }
    F.removeFnAttr(Attribute::NoInline);
    F.removeFnAttr(Attribute::OptimizeNone);
    F.removeFnAttr(Attribute::AlwaysInline);
  }
}

/// Whether a compiler knows a number as constant hangs on what it has inlined; headers of the system do the
/// same either way.
void leaveOpenWhatIsConstant(Module &M) {
  for (Function &F : M) {
    if (F.getIntrinsicID() != Intrinsic::is_constant)
      continue;
    for (User *U : make_early_inc_range(F.users())) {
      auto *Call = cast<CallInst>(U);
      if (declarerOf(*Call->getFunction()) == Declarer::Standard)
        continue;
      Type *Bit = Call->getType();
      auto *Either = new GlobalVariable(M, Bit, false, GlobalValue::ExternalLinkage, nullptr, "rdma.either");
      Call->replaceAllUsesWith(IRBuilder<>(Call).CreateLoad(Bit, Either));
      Call->eraseFromParent();
    }
  }
}

constexpr const char *TakenKind = "rdma.taken";

/// A thread that has been started owns its state: the library takes it out of the unique_ptr that it is
/// given.
void takeThreadStates(Module &M) {
  for (Function &F : M) {
    const ApiRow *Row = F.isDeclaration() ? apiOf(F.getName()) : nullptr;
    if (!Row || Row->What != Api::SpawnStd)
      continue;
    for (User *U : F.users()) {
      auto *Call = dyn_cast<CallBase>(U);
      if (!Call || Call->getCalledOperand() != &F || Call->arg_size() < 2)
        continue;
      Instruction *Behind = Call->getNextNode();
      if (auto *Invoke = dyn_cast<InvokeInst>(Call)) {
        BasicBlock *Normal = Invoke->getNormalDest();
        if (!Normal->getSinglePredecessor())
          Normal = SplitEdge(Invoke->getParent(), Normal);
        Behind = &*Normal->getFirstInsertionPt();
      }
      auto *Null = ConstantPointerNull::get(PointerType::getUnqual(M.getContext()));
      auto *Taken = new StoreInst(Null, Call->getArgOperand(1), Behind->getIterator());
      Taken->setMetadata(TakenKind, MDNode::get(M.getContext(), {}));
    }
  }
}

/// The store of takeThreadStates that a load of the same place comes straight behind.
const StoreInst *takenBefore(const LoadInst &Load) {
  const Instruction *I = &Load;
  for (unsigned Steps = 0; Steps < 64; ++Steps) {
    if (I != &I->getParent()->front())
      I = I->getPrevNode();
    else if (const BasicBlock *Before = I->getParent()->getSinglePredecessor())
      I = Before->getTerminator();
    else
      return nullptr;
    auto *Store = dyn_cast<StoreInst>(I);
    if (Store && Store->getMetadata(TakenKind))
      return Store->getPointerOperand() == Load.getPointerOperand() ? Store : nullptr;
    if (I->mayWriteToMemory() && !isa<DbgInfoIntrinsic>(I) && !saysLife(*I))
      return nullptr;
  }
  return nullptr;
}

bool forwardTaken(Function &F) {
  bool Changed = false;
  for (Instruction &I : make_early_inc_range(instructions(F)))
    if (auto *Load = dyn_cast<LoadInst>(&I))
      if (const StoreInst *Taken = takenBefore(*Load)) {
        Load->replaceAllUsesWith(const_cast<Value *>(Taken->getValueOperand()));
        Load->eraseFromParent();
        Changed = true;
      }
  return Changed;
}

/// A branch on what is not: the other way round, as scalar evolution reads it.
struct PlainBranches : PassInfoMixin<PlainBranches> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &) {
    bool Changed = false;
    for (BasicBlock &Block : F)
      if (auto *Branch = dyn_cast<BranchInst>(Block.getTerminator()); Branch && Branch->isConditional())
        for (Value *Holds; match(Branch->getCondition(), PatternMatch::m_Not(PatternMatch::m_Value(Holds)));
             Changed = true) {
          Branch->setCondition(Holds);
          Branch->swapSuccessors();
        }
    return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
  }
};

/// Jump threading gives each way through a cleanup ("was it break, continue or return?") a block of its own,
/// and each value of a tested result. It would also drop loads that a load before makes redundant, and
/// SimplifyCFG those that nothing hangs on: not those of memory that others write to, so these passes see
/// volatile loads, but of constants.
class ThreadWays : public PassInfoMixin<ThreadWays> {
public:
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &Analyses) {
    MDNode *Mark = MDNode::get(F.getContext(), {});
    unsigned Kind = F.getContext().getMDKindID("rdma.plain");
    for (Instruction &I : instructions(F))
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && !Load->isVolatile() && !ofConstant(*Load)) {
        Load->setVolatile(true);
        Load->setMetadata(Kind, Mark);
      }
    FunctionPassManager Ways;
    Ways.addPass(SCCPPass());
    Ways.addPass(InstSimplifyPass());
    Ways.addPass(SimplifyCFGPass(carefulOptions()));
    Ways.addPass(JumpThreadingPass(MostDuplicated));
    Ways.addPass(SimplifyCFGPass(carefulOptions()));
    Ways.addPass(InstSimplifyPass());
    PreservedAnalyses Kept = Ways.run(F, Analyses);
    for (Instruction &I : instructions(F))
      if (auto *Load = dyn_cast<LoadInst>(&I); Load && Load->getMetadata(Kind)) {
        Load->setVolatile(false);
        Load->setMetadata(Kind, nullptr);
      }
    return Kept;
  }

private:
  static constexpr int MostDuplicated = 40;

  static bool ofConstant(const LoadInst &Load) {
    auto *Global = dyn_cast<GlobalVariable>(getUnderlyingObject(Load.getPointerOperand()));
    return Global && Global->isConstant();
  }
};

} // namespace

struct Pipeline::State {
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
  FunctionPassManager Clean;
  std::set<const Function *> Cleaned;

  State() {
    PassBuilder Builder;
    Builder.registerModuleAnalyses(Modules);
    Builder.registerCGSCCAnalyses(Components);
    Builder.registerFunctionAnalyses(Functions);
    Builder.registerLoopAnalyses(Loops);
    Builder.crossRegisterProxies(Loops, Functions, Components, Modules);
    Clean.addPass(UnsetVariables());
    Clean.addPass(SROAPass(SROAOptions::ModifyCFG));
    Clean.addPass(DropUnread());
    Clean.addPass(PlainBranches());
    Clean.addPass(ThreadWays());
  }

  void clean(Function &F) { Clean.run(F, Functions); }

  /// Callees first shrink on their own, so that what is inlined many times is small.
  void cleanBelow(Function &Entry) {
    std::vector<Function *> Stack{&Entry};
    while (!Stack.empty()) {
      Function *F = Stack.back();
      Stack.pop_back();
      if (F->isDeclaration() || isModelled(*F) || !Cleaned.insert(F).second)
        continue;
      clean(*F);
      noteFailures(*F, Functions.getResult<DominatorTreeAnalysis>(*F));
      shareStatus(*F);
      if (shareLookups(*F))
        Functions.invalidate(*F, PreservedAnalyses::none());
      for (Instruction &I : instructions(*F))
        if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->getCalledFunction())
          Stack.push_back(Call->getCalledFunction());
    }
  }

  bool unrollOne(Function &F) {
    auto &Info = Functions.getResult<LoopAnalysis>(F);
    auto &Tree = Functions.getResult<DominatorTreeAnalysis>(F);
    auto &Evolution = Functions.getResult<ScalarEvolutionAnalysis>(F);
    auto &Assumptions = Functions.getResult<AssumptionAnalysis>(F);
    auto &Target = Functions.getResult<TargetIRAnalysis>(F);
    OptimizationRemarkEmitter Remarks(&F);
    auto OuterFirst = Info.getLoopsInPreorder();
    for (Loop *L : reverse(OuterFirst)) {
      const unsigned Trips = copiesOf(*L, Evolution);
      if (!Trips || !L->isLoopSimplifyForm())
        continue;
      std::size_t Size = 0;
      for (BasicBlock *Block : L->blocks())
        Size += Block->size();
      const unsigned Largest = Trips <= FewTrips ? MaximalUnrolledOfFew : MaximalUnrolled;
      if (Size * Trips > Largest || F.getInstructionCount() + Size * Trips > MaximalSize)
        continue;
      formLCSSARecursively(*L, Tree, &Info, &Evolution);
      UnrollLoopOptions Options{};
      Options.Count = Trips;
      Options.Force = true;
      LoopUnrollResult Result =
          UnrollLoop(L, Options, &Info, &Evolution, &Tree, &Assumptions, &Target, &Remarks, true);
      if (Result != LoopUnrollResult::Unmodified)
        return true;
    }
    return false;
  }

  void unroll(Function &F) {
    FunctionPassManager Shape;
    Shape.addPass(LoopSimplifyPass());
    Shape.addPass(LCSSAPass());
    // An outer loop's trip count often shows only when the inner one is gone.
    for (unsigned Round = 0; Round < 64; ++Round) {
      Functions.invalidate(F, Shape.run(F, Functions));
      if (!unrollOne(F))
        break;
      Functions.invalidate(F, PreservedAnalyses::none());
      clean(F);
    }
    clean(F);
  }
};

/// What a declaration promises of a function (pure, const) is not taken of one that has a body, which says
/// itself what it does, or may have one.
static void forgetPromises(Module &M) {
  for (Function &F : M) {
    if (!F.isDeclaration())
      F.removeFnAttr(Attribute::Memory), F.removeFnAttr(Attribute::WillReturn);
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call && !Call->isInlineAsm() ? calledFunction(*Call) : nullptr;
      if (Call && !Call->isInlineAsm() && (!Callee || !Callee->isDeclaration()))
        Call->removeFnAttr(Attribute::Memory), Call->removeFnAttr(Attribute::WillReturn);
    }
  }
}

Pipeline::Pipeline(Module &M) : S(std::make_unique<State>()) {
  keepConditionalAccesses();
  forgetPromises(M);
  callMembersDirectly(M);
  declareWhat(M);
  callMessageByName(M);
  waitOneByOne(M);
  runOnce(M);
  relax(M);
  leaveOpenWhatIsConstant(M);
  noteRanges(M);
  takeThreadStates(M);
  waitAtOnce(M);
  lockTogether(M);
  markUncaught(M);
  markEndsOfFrames(M);
}
Pipeline::~Pipeline() = default;

void Pipeline::prepare(Function &Entry, const RemarkSink &Sink, const FunctionSet &Kept) {
  S->cleanBelow(Entry);
  // Function pointers and virtual calls often become direct once their surroundings are inlined.
  for (unsigned Round = 0; Round < 4; ++Round) {
    bool Changed = inlineBelow(Entry, Sink, false, Kept);
    endProcessByExceptions(Entry);
    S->Functions.invalidate(Entry, PreservedAnalyses::none());
    S->clean(Entry);
    const bool Forwarded = forwardTaken(Entry), LeftOut = leaveOutWhatIsDone(Entry);
    if (Forwarded || LeftOut)
      S->clean(Entry);
    if (!Changed)
      break;
  }
  S->unroll(Entry);
  if (leaveOutWhatIsDone(Entry))
    S->clean(Entry);
  if (inlineBelow(Entry, Sink, true, Kept)) {
    endProcessByExceptions(Entry);
    S->Functions.invalidate(Entry, PreservedAnalyses::none());
    S->clean(Entry);
  }
  // Last: jump threading makes cycles with several ways in again.
  makeLoopsNatural(Entry, S->Functions);
  settleEnds(Entry);
}

} // namespace rdma::clang_ir
