#include "analyzer/clang/translate/Entries.h"
#include "analyzer/clang/translate/Translator.h"
#include "ir/Litmus.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <deque>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

std::string sourceName(const Function &F) {
  const DISubprogram *Program = F.getSubprogram();
  return Program ? Program->getName().str() : F.getName().str();
}

/// "ns::Class::function", with the namespaces and classes it is in.
std::string qualifiedName(const Function &F) {
  std::string Name = sourceName(F);
  const DISubprogram *Program = F.getSubprogram();
  for (const DIScope *Scope = Program ? Program->getScope() : nullptr; Scope && !isa<DIFile>(Scope);
       Scope = Scope->getScope())
    if (!Scope->getName().empty() && !isa<DICompileUnit>(Scope))
      Name = Scope->getName().str() + "::" + Name;
  return Name;
}

Function *functionNamed(Module &M, const std::string &Name) {
  Function *Found = nullptr;
  for (Function &F : M)
    if (!F.isDeclaration() && (F.getName() == Name || sourceName(F) == Name || qualifiedName(F) == Name) &&
        !Found)
      Found = &F;
  return Found;
}

std::string listed(const std::vector<std::string> &Files) {
  std::string Text;
  for (const std::string &File : Files)
    Text += (Text.empty() ? "" : ", ") + File;
  return Text;
}

} // namespace

std::vector<EntryPoint> findEntries(Module &M, Inventory &Stock, const std::vector<std::string> &Files) {
  std::vector<EntryPoint> All;
  for (const TopologyNode &N : Stock.T.Nodes)
    for (const std::string &Name : N.Entries) {
      Function *F = functionNamed(M, Name);
      if (!F)
        throw InputError({Stock.T.File, 0, 0, ""}, "no function '" + Name + "' in " + listed(Files));
      All.push_back({F, Name, Stock.copies(N.Name), N.Count != 1 && N.Count != 2});
    }
  if (Stock.T.given())
    return All;
  NodeId Here = Stock.addNode("this node", 1);
  if (Function *Main = M.getFunction("main"); Main && !Main->isDeclaration())
    return {{Main, "main", {Here}}};
  for (Function &F : M)
    if (!F.isDeclaration() && F.hasExternalLinkage() && !isModelled(F))
      All.push_back({&F, qualifiedName(F), {Here}});
  return All;
}

namespace {

/// What the analyses of one prepared function need to live.
struct Facts {
  explicit Facts(Function &F)
      : Tree(F), Loops(Tree), LibraryImpl(Triple(F.getParent()->getTargetTriple())), Library(LibraryImpl),
        Assumptions(F), Evolution(F, Library, Assumptions, Tree, Loops) {}
  DominatorTree Tree;
  LoopInfo Loops;
  TargetLibraryInfoImpl LibraryImpl;
  TargetLibraryInfo Library;
  AssumptionCache Assumptions;
  ScalarEvolution Evolution;
};

/// One thread to extract.
struct Pending {
  Function *F;
  std::string Name, Entry;
  NodeId Home;
  bool Many = false;
  std::optional<Spawn> By = {};
  Pointers *Parent = nullptr;
};

class Extractor {
public:
  Extractor(Module &M, Inventory &Stock, RemarkLog &Log) : Stock(Stock), Log(Log), Passes(M) {}

  void run(const std::vector<EntryPoint> &Entries) {
    for (const EntryPoint &E : Entries)
      for (std::size_t I = 0; I < E.Homes.size(); ++I)
        Work.push_back({E.F, E.Name, E.Name, E.Homes[I], E.Any && I + 1 == E.Homes.size()});
    for (; !Work.empty(); Work.pop_front())
      extract(Work.front());
  }

private:
  void prepare(Function &F) {
    if (!Prepared.insert(&F).second)
      return;
    Passes.prepare(F, [&](const DebugLoc &At, const std::string &Text, bool Covered) {
      Log.add(siteOf(At), Text, Covered);
    });
  }

  void extract(const Pending &Next) {
    prepare(*Next.F);
    ThreadIndex Index = Stock.P.Threads.size();
    Stock.P.Threads.push_back({Next.Name, Next.Home, Next.Many, 0, {}});
    auto [Known, New] = FactsOf.try_emplace(Next.F);
    if (New)
      Known->second = std::make_unique<Facts>(*Next.F);
    Facts &About = *Known->second;
    std::vector<Binding> Bound;
    if (Next.Parent && Next.F->arg_size() == 1)
      Bound.push_back({Next.F->getArg(0), Next.By->Argument});
    std::string Prefix = Next.Name + "@" + std::to_string(Index) + "/";
    AllPointers.push_back(std::make_unique<Pointers>(*Next.F, About.Evolution, Prefix, Origins[Next.Home],
                                                     std::move(Bound), Next.Parent));
    ThreadInput In{*Next.F, Next.Home, Index, Next.Entry};
    if (Next.By)
      In.Start = Next.By->Call, In.Started = Next.By->Started, In.Ended = Next.By->Ended;
    Translator T(In, Stock, Log, *AllPointers.back(), About.Tree, About.Loops);
    T.run();
    for (const Spawn &S : T.spawns())
      start(S, Next, *AllPointers.back());
  }

  /// A thread started in a loop, or by several copies of one call, is two of its kind.
  void start(const Spawn &S, const Pending &By, Pointers &Parent) {
    Function *Routine = S.Callee ? bound(*S.Routine, *S.Callee) : S.Routine;
    if (AllPointers.size() > MostThreads)
      return Log.add(siteOf(S.Call->getDebugLoc()), "too many threads; this one is not analysed", false);
    unsigned &Number = Started[{By.Home, S.Key}];
    for (unsigned Copies = S.Repeated ? 2 : 1; Copies && Number < 2; --Copies, ++Number)
      Work.push_back({Routine, S.Name, By.Entry, By.Home, By.Many, S, &Parent});
  }

  /// A copy of a std::thread's body in which the stored function pointer is the function it points to.
  Function *bound(Function &Run, const Function &Callee) {
    ValueToValueMapTy Map;
    Function *Copy = CloneFunction(&Run, Map);
    inlineBelow(*Copy, [](const DebugLoc &, const std::string &, bool) {}, false);
    for (Instruction &I : instructions(*Copy))
      if (auto *Call = dyn_cast<CallBase>(&I); Call &&
                                               isa<LoadInst>(Call->getCalledOperand()->stripPointerCasts()) &&
                                               Call->getFunctionType() == Callee.getFunctionType())
        Call->setCalledFunction(const_cast<Function *>(&Callee));
    return Copy;
  }

  static constexpr std::size_t MostThreads = 64;
  Inventory &Stock;
  RemarkLog &Log;
  Pipeline Passes;
  std::deque<Pending> Work;
  std::set<Function *> Prepared;
  std::map<Function *, std::unique_ptr<Facts>> FactsOf;
  std::map<NodeId, OriginTable> Origins;
  std::vector<std::unique_ptr<Pointers>> AllPointers;
  std::map<std::pair<NodeId, std::string>, unsigned> Started;
};

} // namespace

void extractThreads(Module &M, const std::vector<EntryPoint> &Entries, Inventory &Stock, RemarkLog &Log) {
  Extractor(M, Stock, Log).run(Entries);
}

} // namespace rdma::clang_ir
