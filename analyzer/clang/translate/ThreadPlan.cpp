#include "analyzer/clang/translate/ThreadPlan.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/frontend/Spelling.h"
#include "analyzer/clang/memory/AccessPaths.h"
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/prepare/Pipeline.h"
#include "analyzer/clang/program/FunctionNames.h"
#include "analyzer/clang/translate/Arguments.h"
#include "analyzer/clang/translate/CalledFromOutside.h"
#include "analyzer/clang/translate/Coverage.h"
#include "analyzer/clang/translate/RemoteFields.h"
#include "analyzer/clang/translate/StartedEntries.h"
#include "analyzer/clang/translate/TopologyUse.h"
#include "analyzer/clang/translate/Translator.h"

#include <llvm/IR/InstIterator.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Transforms/Utils/CallPromotionUtils.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// The functions that run before main, or behind it.
FunctionSet listedIn(const GlobalVariable *Table) {
  FunctionSet All;
  auto *Entries =
      Table && Table->hasInitializer() ? dyn_cast<ConstantArray>(Table->getInitializer()) : nullptr;
  if (Entries)
    for (const Use &Entry : Entries->operands())
      if (auto *F = dyn_cast<Function>(cast<User>(Entry)->getOperand(1)->stripPointerCasts()))
        All.insert(F);
  return All;
}

void addFunctions(const Constant &Part, FunctionSet &All) {
  if (auto *F = dyn_cast<Function>(Part.stripPointerCasts()))
    All.insert(F);
  else if (isa<ConstantAggregate>(Part))
    for (const Use &Element : Part.operands())
      addFunctions(*cast<Constant>(Element), All);
}

/// The same, of programs that fill the sections themselves.
void addFromSections(const Module &M, std::initializer_list<StringRef> Sections, FunctionSet &All) {
  for (const GlobalVariable &Table : M.globals())
    for (StringRef Section : Sections)
      if (Table.hasInitializer() && Table.getSection().starts_with(Section))
        addFunctions(*Table.getInitializer(), All);
}

} // namespace

/// Threads are found by translating: what one starts is there for the next
/// round, with the memory of all of them.
struct ThreadPlan::State {
  explicit State(Module &M) : Passes(M), Posts(M) {}

  /// A thread of the processes of one kind of node.
  struct Planned {
    Function *F;
    std::string Name, Entry;
    bool Many = false; ///< its last copy stands for many
    InstanceId Parent = ~0u;
    const CallBase *Start = nullptr;
    unsigned Copy = 0;
    bool Twin = false;
    std::vector<GivenObject> Objects = {};
  };

  FunctionFacts &factsOf(Function &F) {
    std::unique_ptr<FunctionFacts> &Entry = Facts[&F];
    if (!Entry)
      Entry = std::make_unique<FunctionFacts>(F);
    return *Entry;
  }

  /// Code that no entry reaches, but that runs in every process: main, what
  /// else nobody in the sources runs, and the constructors of global objects.
  void findSetup(Module &M, const std::vector<EntryPoint> &Entries) {
    for (const EntryPoint &E : Entries)
      EntryFunctions.insert(E.F);
    auto called = [](const User *U) { return isa<CallBase>(U); };
    FunctionSet Constructors = listedIn(M.getNamedGlobal("llvm.global_ctors"));
    addFromSections(M, {".init_array", ".preinit_array", ".ctors"}, Constructors);
    Destructors = listedIn(M.getNamedGlobal("llvm.global_dtors"));
    addFromSections(M, {".fini_array", ".dtors"}, Destructors);
    const FunctionSet Elsewhere = calledElsewhere(M);
    const bool Whole = leavesNothingOut(M) && definesItsVariables(M);
    for (Function &F : M) {
      if (F.isDeclaration() || EntryFunctions.count(&F) || isModelled(F))
        continue;
      const bool Left = !(Whole && hasMain(F)) || isMain(F); // to those who may call it
      bool Root = Elsewhere.count(&F) || (Left && F.hasExternalLinkage() && none_of(F.users(), called));
      if (Root || Constructors.count(&F) || Destructors.count(&F))
        Setup.push_back(&F);
    }
    FunctionSet Begun = EntryFunctions;
    Begun.insert(Setup.begin(), Setup.end());
    for (Function *F : startsOfCycles(M, Begun))
      if (!isModelled(*F))
        Setup.push_back(F);
    // Before a call by a pointer is taken for one of those that it can enter: what is set-up decides that.
    for (Function *F : handedOut(M))
      if (!isModelled(*F) && !is_contained(Setup, F))
        (isLeftToOthers(*F, Begun) ? Setup : HandedOut).push_back(F);
  }

  /// What nothing in sight has turned out to run is set-up code, too.
  bool addHandedOut() {
    const std::vector<Function *> More = Posts.notLookedAt(HandedOut);
    std::erase_if(HandedOut, [&](Function *F) { return is_contained(More, F); });
    Setup.insert(Setup.end(), More.begin(), More.end());
    return !More.empty();
  }

  void prepareSetup() {
    for (Function *F : Setup)
      if (Prepared.insert(F).second) {
        Facts.erase(F);
        Passes.prepare(*F, [](const DebugLoc &, const Said &, bool) {}, EntryFunctions);
      }
  }

  void prepare(Function &F) {
    if (!Prepared.insert(&F).second)
      return;
    Facts.erase(&F);
    Passes.prepare(
        F, [&](const DebugLoc &At, const Said &Text, bool Covered) { Log.add(siteOf(At), Text, Covered); });
  }

  /// A copy of a std::thread's body in which the stored function pointer is the
  /// function it points to.
  Function *bound(Function &Run, const Function &Callee) {
    Function *&Copy = Bound[{&Run, &Callee}];
    if (Copy)
      return Copy;
    ValueToValueMapTy Map;
    Copy = CloneFunction(&Run, Map);
    inlineBelow(*Copy, [](const DebugLoc &, const Said &, bool) {}, false);
    for (Instruction &I : instructions(*Copy))
      if (auto *Call = dyn_cast<CallBase>(&I); Call &&
                                               isa<LoadInst>(Call->getCalledOperand()->stripPointerCasts()) &&
                                               Call->getFunctionType() == Callee.getFunctionType())
        Call->setCalledFunction(const_cast<Function *>(&Callee));
    return Copy;
  }

  using FunctionsByName = std::map<std::string, Function *>; ///< in the same order in every run

  /// Calls through a pointer that can only enter a few known functions become calls of these, and are inlined
  /// like others. Says whether there were any; then threads are to be found anew.
  bool promote(const std::map<std::string, std::unique_ptr<PointsTo>> &Memories) {
    if (Promotions == MostPromotions)
      return false;
    std::map<Function *, std::map<CallBase *, FunctionsByName>> Known;
    std::set<CallBase *> Open;
    for (const auto &[Node, Memory] : Memories)
      for (InstanceId I = 0; I < Threads[Node].size(); ++I)
        for (Instruction &Inst : instructions(*Threads[Node][I].F)) {
          auto *Call = dyn_cast<CallBase>(&Inst);
          if (!Call || Call->isInlineAsm() || isa<Function>(Call->getCalledOperand()->stripPointerCasts()))
            continue;
          bool Whole = true;
          for (Function *Callee : Memory->callees(I, *Call, Whole)) {
            Known[Call->getFunction()][Call].emplace(Callee->getName().str(), Callee);
            Whole &= isLegalToPromote(*Call, Callee);
          }
          if (!Whole)
            Open.insert(Call);
        }
    bool Any = false;
    for (auto &[F, Calls] : Known)
      for (auto &[Call, Callees] : Calls)
        if (!Open.count(Call) && Callees.size() <= MostCallees) {
          promote(*Call, Callees);
          Prepared.erase(F);
          Any = true;
        }
    Promotions += Any;
    if (Any)
      for (auto &[Node, Kind] : Threads)
        std::erase_if(Kind, [](const Planned &T) { return T.Parent != ~0u; });
    return Any;
  }

  static void promote(CallBase &Call, const FunctionsByName &Callees) {
    for (const auto &[Name, Callee] : Callees)
      if (Callee == Callees.rbegin()->second)
        promoteCall(Call, Callee);
      else
        promoteCallWithIfThenElse(Call, Callee);
  }

  static constexpr unsigned MostPromotions = 8, MostCallees = 6;
  unsigned Promotions = 0;
  Pipeline Passes;
  PostsInSources Posts;
  RemarkLog Log; ///< what preparing the threads had to say
  std::vector<Function *> Setup, HandedOut;
  FunctionSet EntryFunctions, Destructors;
  std::set<Function *> Prepared;
  std::map<Function *, std::unique_ptr<FunctionFacts>> Facts;
  std::map<std::pair<Function *, const Function *>, Function *> Bound;
  std::map<std::string, std::vector<Planned>> Threads; ///< by kind of node
};

ThreadPlan::ThreadPlan(Module &M) : S(std::make_unique<State>(M)) {}
ThreadPlan::~ThreadPlan() = default;

namespace {

using Planned = ThreadPlan::State::Planned;

/// One round over all threads that are known so far.
class Extractor {
public:
  Extractor(ThreadPlan::State &Plan, Inventory &Stock, RemarkLog &Log) : Plan(Plan), Stock(Stock), Log(Log) {}

  /// False: further threads were found.
  bool run(const std::vector<EntryPoint> &Entries, const ExtractionEnd &Finish) {
    std::map<std::string, std::vector<NodeId>> Homes;
    bool First = Plan.Threads.empty();
    for (const EntryPoint &E : Entries) {
      Homes.try_emplace(E.Node, E.Homes);
      if (E.Alone)
        Alone[E.F] = E.Homes.front();
      if (First)
        Plan.Threads[E.Node].push_back({E.F, E.Name, E.Key, E.Any, ~0u, nullptr, 0, false, givenTo(*E.F)});
    }
    if (First && !Entries.empty())
      Plan.findSetup(*Entries.front().F->getParent(), Entries);
    for (auto &[Node, Threads] : Plan.Threads)
      for (Planned &Next : Threads) {
        PrettyStackTraceFormat Doing("preparing '%s', %s", Next.Name.c_str(), placeOf(*Next.F).c_str());
        Plan.prepare(*Next.F);
        Plan.Posts.see(*Next.F);
      }
    Plan.prepareSetup();
    Plan.Facts.clear(); // preparing one function changes others below it
    Log = Plan.Log;
    for (const auto &[Node, Unused] : Homes)
      solve(Node);
    if (Plan.promote(Memories))
      return false;
    // In the order of the topology.
    std::set<std::string> Done;
    for (const EntryPoint &E : Entries)
      if (Done.insert(E.Node).second)
        process(E.Node, Homes[E.Node]);
    if (!Grown && Stock.T.given() && Plan.addHandedOut())
      return false;
    std::vector<PostsInSources::Unreached> Unreached = Plan.Posts.unreached();
    if (!Grown && Stock.T.given() && !Unreached.empty())
      tellOf(Unreached);
    if (!Grown && Stock.T.given())
      for (const PostsInSources::Unreached &Start : Plan.Posts.unreachedStarts())
        Log.add(siteOf(Start.Where), {words::StartUnreached, Start.Function}, false);
    for (const Place &At : Plan.Posts.openOrders())
      Log.add({{At}}, words::OtherOrder, false);
    if (!Unreached.empty()) // whose completions may arrive anywhere
      for (CountedThread &T : Counted)
        T.Counts = false;
    if (!Grown)
      Finish(Counted);
    return !Grown;
  }

private:
  /// One remark, however many a library has of which a program calls few.
  void tellOf(const std::vector<PostsInSources::Unreached> &Unreached) {
    std::vector<std::string> Others;
    for (auto Next = Unreached.begin() + 1; Next != Unreached.end(); ++Next)
      Others.push_back(Next->Function);
    const std::string &First = Unreached.front().Function;
    Log.add(siteOf(Unreached.front().Where),
            Others.empty() ? Said(words::PostUnreached, First)
                           : Said(words::PostsUnreached, First, listedNames(Others)),
            false);
  }

  void solve(const std::string &Node) {
    const std::vector<Planned> &Threads = Plan.Threads[Node];
    Memories[Node] =
        std::make_unique<PointsTo>([this](Function &F) -> FunctionFacts & { return Plan.factsOf(F); });
    PointsTo &Memory = *Memories[Node];
    for (InstanceId I = 0; I < Threads.size(); ++I)
      Memory.add(*Threads[I].F, Threads[I].Name + "@" + std::to_string(I) + "/", Threads[I].Parent,
                 Threads[I].Start, Threads[I].Twin, Threads[I].Objects);
    for (Function *F : setupOf(Node))
      Memory.addSetup(*F, Plan.EntryFunctions);
    addPeers(Stock, Node, Memory);
    Memory.OneAtATime = !Alone.empty() && leavesNothingOut(*Threads.front().F->getParent());
    Memory.IsListed = [this](const Function &F) { return Stock.T.listsSetup(spellFunction(F)); };
    Memory.solve();
  }

  /// Of the program that the node runs.
  std::vector<Function *> setupOf(const std::string &Node) const {
    std::vector<Function *> Own;
    for (Function *F : Plan.Setup)
      if (isOf(*F, Stock.T.programOf(Node)))
        Own.push_back(F);
    return Own;
  }

  void process(const std::string &Node, const std::vector<NodeId> &Homes) {
    std::vector<Planned> Threads = Plan.Threads[Node];
    PointsTo &Memory = *Memories[Node];
    StartedEntries Runs(Plan.EntryFunctions);
    std::vector<SetupPart> Setup = partsOfSetup(Node, Memory, Homes.front(), Runs);
    for (std::size_t Copy = 0; Copy < Homes.size(); ++Copy)
      home(Node, Threads, Memory, Homes[Copy], Copy + 1 == Homes.size(), Setup, Runs);
    if (Stock.T.given())
      Runs.tell(Log);
  }

  /// A function of set-up code that was not inlined into another.
  struct SetupPart {
    Function *F;
    InstanceId In;
    bool InThread = false; ///< it runs only in threads that set-up code starts
  };

  /// What runs beside the threads: what nobody calls, and what this calls and starts.
  std::vector<SetupPart> partsOfSetup(const std::string &Node, PointsTo &Memory, NodeId Home,
                                      StartedEntries &Runs) {
    std::vector<SetupPart> All;
    std::set<const Function *> Seen = Plan.EntryFunctions;
    InstanceId Root = Plan.Threads[Node].size();
    for (Function *F : setupOf(Node))
      All.push_back({F, Root++}), Seen.insert(F);
    auto follow = [&](llvm::SetVector<Function *> &Found, bool InThread) {
      for (Function *F : Found)
        if (Seen.insert(F).second) {
          All.push_back({F, Memory.lookInto(*F), InThread});
          if (InThread)
            Runs.runsInThread(*F);
        }
      Found.clear();
    };
    llvm::SetVector<Function *> Called, Routines;
    for (std::size_t I = 0; I < All.size(); ++I) {
      Plan.Posts.seeSetup(*All[I].F);
      ask(All[I], Memory, Home, [&](Translator &T) { T.noteCalls(Runs, Called, Routines); });
      follow(Called, All[I].InThread);
      if (I + 1 == All.size())
        follow(Routines, true);
    }
    return All;
  }

  void ask(const SetupPart &Part, PointsTo &Memory, NodeId Home,
           const std::function<void(Translator &)> &Ask) {
    PrettyStackTraceFormat Doing("looking at set-up code '%s', %s", Part.F->getName().str().c_str(),
                                 placeOf(*Part.F).c_str());
    FunctionFacts &About = Plan.factsOf(*Part.F);
    Pointers Where(Memory, Part.In);
    Translator T({*Part.F, Home, None, ""}, Stock, Log, Where, About.Tree, About.Loops);
    Ask(T);
  }

  void home(const std::string &Node, const std::vector<Planned> &Threads, PointsTo &Memory, NodeId Home,
            bool Last, const std::vector<SetupPart> &Setup, const StartedEntries &Runs) {
    std::map<InstanceId, std::vector<Spawn>> Spawned;
    std::vector<std::vector<JoinSite>> Joined;
    std::vector<std::vector<JoinedRange>> Ranges;
    std::vector<std::vector<JoinedArray>> Arrays;
    ArgumentsOfNode Arguments;
    std::vector<const Origin *> Statics;
    for (const SetupPart &Part : Setup)
      ask(Part, Memory, Home, [&](Translator &T) {
        llvm::append_range(Statics, T.destroyed(false));
        if (Plan.Destructors.count(Part.F))
          llvm::append_range(Statics, T.usedAtExit());
      });
    const std::size_t Begin = Counted.size();
    std::vector<std::unique_ptr<RemoteFields>> Fields;
    for (InstanceId I = 0; I < Threads.size(); ++I) {
      AllPointers.push_back(std::make_unique<Pointers>(Memory, I));
      Fields.push_back(
          std::make_unique<RemoteFields>(*Threads[I].F, *AllPointers.back(), Stock.T, Threads[I].Entry));
    }
    std::deque<Pointers> OfMain;
    Creators Makers(Memory);
    for (InstanceId I = 0; I < Threads.size(); ++I)
      Makers.add(I, *AllPointers[Begin + I]);
    for (const SetupPart &Part : Setup)
      if (isMain(*Part.F))
        Makers.add(Part.In, OfMain.emplace_back(Memory, Part.In));
    for (InstanceId I = 0; I < Threads.size(); ++I) {
      const Planned &Next = Threads[I];
      ThreadIndex Index = Stock.P.Threads.size();
      const NodeId Own = homeOf(Threads, I).value_or(Home);
      Stock.P.Threads.push_back({Next.Name, Own, Next.Many && Last, 0, {}});
      ThreadInput In{*Next.F, Own, Index, Next.Entry};
      In.Statics = Statics;
      if (Next.Start)
        for (const Spawn &By : Spawned[Next.Parent])
          if (By.Call == Next.Start && By.Name == Next.Name)
            In.Start = By.Call, In.Started = By.Started, In.Ended = By.Ended[Next.Copy];
      PrettyStackTraceFormat Doing("extracting '%s', %s", Next.Name.c_str(), placeOf(*Next.F).c_str());
      seeVariables(*Next.F, Next.Entry, Stock.Seen);
      FunctionFacts &About = Plan.factsOf(*Next.F);
      In.Fields = Fields[I].get(), In.OfProcess = Fields, In.Process = &Makers;
      Pointers &Where = *AllPointers[Begin + I];
      Translator T(In, Stock, Log, Where, About.Tree, About.Loops);
      T.run();
      Counted.push_back({*Next.F, Where, About.Tree, About.Loops, Index, Own, Next.Entry});
      Counted.back().Start = Next.Start;
      Counted.back().Ended = In.Ended;
      // What a topology calls an entry is run once.
      Counted.back().Once = Next.Parent == ~0u ? Stock.T.given() || Next.F->getName() == "main"
                                               : !Next.Twin && Counted[Begin + Next.Parent].Once;
      T.describe(Counted.back());
      if (Stock.proposing())
        seeStores(*Next.F, Where, Stock.Members[Next.Entry]);
      for (const Spawn &By : T.spawns())
        start(Node, By, I, Next);
      Spawned[I] = T.spawns();
      Joined.push_back(T.joins());
      Ranges.push_back(T.ranges());
      Arrays.push_back(T.arrays());
      if (Next.Parent == ~0u)
        Arguments.add(*Next.F, Index, Memory, I, Stock);
    }
    std::vector<CountedThread *> Mine;
    std::vector<ThreadsOf> Process;
    for (InstanceId I = 0; I < Threads.size(); ++I) {
      Mine.push_back(&Counted[Begin + I]);
      Process.push_back({Mine.back(), Spawned[I], Joined[I], Ranges[I], Arrays[I]});
    }
    matchJoins(Process, Stock, Log);
    Translator::matchOnlyQueue(Mine, Stock, Log);
    Translator::matchUnpolled(Mine, Stock);
    Translator::matchUncollected(Mine, Stock);
    Arguments.compare(Stock, Log);
    // Of a thread that set-up code starts, the call that starts it tells.
    for (const SetupPart &Part : Setup)
      if (!Part.InThread)
        ask(Part, Memory, Home, [&](Translator &T) { T.lookAtSetup(Plan.EntryFunctions, Runs); });
  }

  /// Of what others call one function at a time, and what that starts.
  std::optional<NodeId> homeOf(const std::vector<Planned> &Threads, InstanceId I) const {
    while (Threads[I].Parent != ~0u)
      I = Threads[I].Parent;
    auto Found = Alone.find(Threads[I].F);
    return Found != Alone.end() ? std::optional(Found->second) : std::nullopt;
  }

  void start(const std::string &Node, const Spawn &By, InstanceId Parent, const Planned &Starter) {
    std::vector<Planned> &Threads = Plan.Threads[Node];
    for (const Planned &Known : Threads)
      if (Known.Parent == Parent && Known.Start == By.Call && Known.Name == By.Name)
        return;
    Function *Routine = By.Callee ? Plan.bound(*By.Routine, *By.Callee) : By.Routine;
    // A thread that starts its own kind: one generation shows what two of them
    // do to each other.
    unsigned Generations = 0;
    for (InstanceId Above = Parent; Above != ~0u; Above = Threads[Above].Parent)
      Generations += Threads[Above].F == Routine;
    if (Threads.size() > MostThreads || Generations > 1)
      return Log.add(siteOf(By.Call->getDebugLoc()),
                     {Generations > 1 ? words::ManyGenerations : words::ManyThreads,
                      Generations > 1 ? 2 : MostThreads, By.Name},
                     false);
    for (unsigned Copy = 0; Copy < By.copies(); ++Copy)
      Threads.push_back({Routine, By.Name, Starter.Entry, Starter.Many, Parent, By.Call, Copy, By.Repeated});
    Grown = true;
  }

  static constexpr std::size_t MostThreads = 64;
  ThreadPlan::State &Plan;
  Inventory &Stock;
  RemarkLog &Log;
  std::map<const Function *, NodeId> Alone;
  std::map<std::string, std::unique_ptr<PointsTo>> Memories; ///< their blocks are the objects of the program
  std::vector<std::unique_ptr<Pointers>> AllPointers;
  std::deque<CountedThread> Counted;
  bool Grown = false;
};

} // namespace

bool extractThreads(ThreadPlan &Plan, const std::vector<EntryPoint> &Entries, Inventory &Stock,
                    RemarkLog &Log, const ExtractionEnd &Finish) {
  return Extractor(*Plan.S, Stock, Log).run(Entries, Finish);
}

} // namespace rdma::clang_ir
