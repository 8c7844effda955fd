#include "analyzer/clang/Extract.h"
#include "analyzer/clang/Propose.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/counts/Counting.h"
#include "analyzer/clang/frontend/FileAssembly.h"
#include "analyzer/clang/frontend/Frontend.h"
#include "analyzer/clang/frontend/Spelling.h"
#include "analyzer/clang/prepare/StoredNumbers.h"
#include "analyzer/clang/program/Annotations.h"
#include "analyzer/clang/program/Graph.h"
#include "analyzer/clang/program/RegionNames.h"
#include "analyzer/clang/program/Targets.h"
#include "analyzer/clang/replay/Replay.h"
#include "analyzer/clang/translate/KnownFlags.h"
#include "analyzer/clang/translate/LockSections.h"
#include "analyzer/clang/translate/MatchMessages.h"
#include "analyzer/clang/translate/Spins.h"
#include "analyzer/clang/translate/TakenBeside.h"
#include "analyzer/clang/translate/TestedExchange.h"
#include "analyzer/clang/translate/ThreadPlan.h"
#include "analyzer/core/Verdict.h"
#include "ir/Litmus.h"

#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/PrettyStackTrace.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <map>
#include <set>

namespace rdma {
namespace {

using namespace clang_ir;

std::optional<std::string> overlaid(const ExtractionOptions &Options, const std::string &File) {
  auto Found = Options.Overlay.find(File);
  return Found == Options.Overlay.end() ? std::nullopt : std::optional(Found->second);
}

Topology topology(const std::string &File, const ExtractionOptions &Options) {
  Topology T = readTopology(File, overlaid(Options, File));
  replaceTargets(T, Options.Targets, Options.Files);
  return T;
}

Topology topology(const ExtractionOptions &Options) {
  if (!Options.TopologyFile.empty())
    return topology(Options.TopologyFile, Options);
  if (Options.Files.empty() || Options.Part)
    return {};
  llvm::SmallString<256> Beside(llvm::sys::path::parent_path(Options.Files.front()));
  llvm::sys::path::append(Beside, "topology.json");
  std::string File(Beside);
  if (overlaid(Options, File) || llvm::sys::fs::exists(File))
    return topology(File, Options);
  return {};
}

std::string nameOf(const ExtractionOptions &Options) {
  return Options.Files.empty() ? "" : llvm::sys::path::stem(Options.Files.front()).str();
}

void count(Extraction &E) {
  for (const Thread &T : E.Code.Threads)
    for (const Statement &S : T.Statements)
      switch (S.Op.Kind) {
      case OperationKind::Put:
      case OperationKind::Get:
      case OperationKind::RemoteCas:
      case OperationKind::RemoteFaa:
      case OperationKind::Poll:
        ++E.Operations;
        break;
      case OperationKind::Wait: // one that was proved has no place
        E.Operations += S.Where.known();
        break;
      default:
        break;
      }
  std::set<std::pair<std::string, unsigned>> Places;
  for (const Remark &R : E.Code.Remarks)
    if (!R.Where.Chain.empty())
      Places.insert({R.Where.Chain.front().File, R.Where.Chain.front().Line});
  E.UnresolvedSites = Places.size();
}

bool postsAnything(const Inventory &Stock) {
  for (const Thread &T : Stock.P.Threads)
    for (const Statement &S : T.Statements)
      if (S.Op.Pair != None && !Stock.isOutside(Stock.P.QueuePairs[S.Op.Pair].Target))
        return true;
  return false;
}

/// Is there anything to count, and does anything stay open that counts could settle?
bool needsCounts(const Program &P, bool Races, const std::deque<CountedThread> &Counted) {
  auto some = [&](auto Has) { return std::any_of(Counted.begin(), Counted.end(), Has); };
  if (!some([](const CountedThread &T) { return T.Counts && !T.Posts.empty(); }) ||
      !some([&](const CountedThread &T) {
        const std::vector<Statement> &All = P.Threads[T.Index].Statements;
        return !T.Polls.empty() || std::any_of(All.begin(), All.end(), [](const Statement &S) {
          return S.Op.Kind == OperationKind::Wait;
        });
      }))
    return false;
  if (Races)
    return true;
  Verdict V = decide(P, Model::RdmaTso);
  return !(V.Fenced || V.TreeFenced || V.Cycles);
}

/// What an execution of the source shows of the pairs that are left open. It may show one that order,
/// addresses or counts rule out: then something in these is wrong, and no verdict rests on them.
void showOpen(Program &P, const std::deque<CountedThread> &Counted, Replays &Shown) {
  std::map<SeenOpen, SeenPairs::value_type> Seen;
  for (const CountedThread &T : Counted)
    for (const SeenPairs::value_type &Pair : Shown.of(T))
      if (const auto &[Post, Later] = Pair.first; T.Numbers.count(Post) && T.Numbers.count(Later))
        Seen.try_emplace({T.Index, T.Numbers.at(Post), T.Numbers.at(Later)}, Pair);
  for (const auto &[Pair, Instructions] : Seen)
    P.ShownOpen.push_back(Pair); // in order
  RemarkLog Log;
  for (const SeenOpen &Pair : ruledOut(P, P.ShownOpen)) {
    std::erase(P.ShownOpen, Pair);
    const auto &[Instructions, Certain] = Seen.at(Pair);
    if (!Certain)
      continue;
    const auto &[Post, Later] = Instructions;
    const unsigned Line = Post->getDebugLoc() ? Post->getDebugLoc().getLine() : 0;
    Log.add(siteOf(Later->getDebugLoc()), {words::RunsInto, std::to_string(Line)}, false);
  }
  for (Remark &New : Log.relevant([](ObjectId) { return true; }))
    P.Remarks.push_back(std::move(New));
}

/// A thread that runs alone takes its own completions.
Replays replaysOf(const Program &P, const Unshared &Shared) {
  std::vector<QueuePair> Alone = P.QueuePairs;
  for (const auto &[Pair, Queue] : Shared.Was)
    Alone[Pair].Queue = Queue;
  return {std::move(Alone), Shared.Taken};
}

/// Does set-up code touch what the threads share, and no thread does so?
bool leavesOut(const Inventory &Stock) {
  return std::any_of(Stock.LeftOut.begin(), Stock.LeftOut.end(), [&](const std::vector<ObjectId> &Touched) {
    return Touched.empty() ||
           std::any_of(Touched.begin(), Touched.end(), [&](ObjectId O) { return Stock.exposed(O); });
  });
}

/// A thread of which nothing is known may have taken completions, and tell of them wherever a thread
/// synchronises with others. What else it does, the remark where it is started withholds.
void doubtUnfollowed(Inventory &Stock, const std::deque<CountedThread> &Counted) {
  std::map<NodeId, LostFactId> Facts;
  for (const auto &[Home, Where] : Stock.Unfollowed)
    if (!Facts.count(Home))
      Facts[Home] = Stock.lose({Where, words::RoutineUnknown, words::TellFound, None, false, true});
  auto synchronises = [](const llvm::Instruction &I, OperationKind Kind) {
    if (Kind == OperationKind::LocalRmw || Kind == OperationKind::LocalCas)
      return true;
    return (Kind == OperationKind::Load || Kind == OperationKind::Assume) && llvm::isa<llvm::LoadInst>(I) &&
           (I.isAtomic() || I.isVolatile());
  };
  for (const CountedThread &T : Counted)
    if (auto Fact = Facts.find(T.Home); Fact != Facts.end())
      for (StatementId S = 0; S < T.Sources.size(); ++S) {
        Thread &Code = Stock.P.Threads[T.Index];
        if (T.Sources[S] && synchronises(*T.Sources[S], Code.Statements[S].Op.Kind))
          Code.Statements[Code.insertBehind(S, {}, Site(Code.Statements[S].Where))].Lost = Fact->second;
      }
}

/// Says whether set-up code was left out.
bool finish(const ExtractionOptions &Options, const Topology &T, const llvm::Module &M, Inventory &Stock,
            RemarkLog &Log, std::deque<CountedThread> &Counted) {
  Program &P = Stock.P;
  T.requireUse(Stock.Seen);
  Stock.numberShared();
  for (const std::string &What : T.Assumed)
    Log.add({{T.placeOf(What)}}, {words::Assumed, What}, false);
  requireRegions(Stock, M, Log);
  const Unshared Shared = unshareQueues(Stock, Counted, Log);
  tellOfCompletions(Stock, Counted, Shared);
  markSections(Stock, Counted);
  compareTested(P, Counted);
  if (llvm::Triple Target(M.getTargetTriple()); Target.getArch() != llvm::Triple::x86_64)
    Log.add({}, {words::OtherTarget, Target.str()}, false);
  for (const std::string &File : Options.Files)
    if (compiledInSeveralWays(File, Options))
      Log.add({{Place{File, 1, 1, ""}}}, words::SeveralWays, false);
  for (const Place &At : assemblyIn(M))
    Log.add({{At}}, words::AssemblyOutside, false);
  for (const llvm::Function *Hook : hooksIn(M))
    Log.add(siteOf(*Hook), {words::CompilerHook, spellFunction(*Hook)}, false);
  if ((T.given() || P.OpenWorld) && !postsAnything(Stock))
    Log.add({}, words::NothingPosted, false);
  doubtUnfollowed(Stock, Counted);
  exposeShared(Stock);
  auto Separated = matchMessages(Stock, Counted, Log);
  auto exchange = [&] {
    for (auto &[Pair, Queue] : Separated)
      std::swap(P.QueuePairs[Pair].Queue, Queue);
  };
  P.Remarks = Log.relevant([&](ObjectId O) { return Stock.exposed(O); });
  const bool LeavesOut = leavesOut(Stock); // before objects are dropped
  addAwaited(Stock, Counted);
  addEnded(Stock, Counted);
  wholeFlags(Stock, Counted, M);
  knownZeros(Stock, Counted, M);
  dropSpins(P);
  Program Unpruned = P;
  prune(Stock);
  bool Posts =
      std::any_of(Counted.begin(), Counted.end(), [](const CountedThread &T) { return !T.Posts.empty(); });
  exchange(); // the program's own counters are of what is there
  Replays Shown = replaysOf(P, Shared);
  exchange();
  if (Posts && needsCounts(P, hasLocalRaces(P), Counted)) {
    P = std::move(Unpruned);
    exchange();
    addCounts(Stock, Counted, Shown);
    exchange();
    prune(Stock);
  }
  if (Posts)
    showOpen(P, Counted, Shown);
  spellFiles(P, Options.Files);
  return LeavesOut;
}

struct Extracted {
  Extraction Result;
  bool LeavesOut = false; ///< something that `main` does beside the entries
};

/// Nothing while there are threads that were not known when their parents were analysed.
std::optional<Extracted> extractOnce(const ExtractionOptions &Options, const Topology &T, llvm::Module &M,
                                     ThreadPlan &Threads) {
  Extracted All;
  Program &P = All.Result.Code;
  P.Name = nameOf(Options);
  P.OpenWorld = Options.OpenWorld;
  P.Closed = T.given();
  Inventory Stock(P, T, M);
  RemarkLog Log;
  bool Whole = extractThreads(Threads, findEntries(M, Stock, Options.Files), Stock, Log,
                              [&](std::deque<CountedThread> &Counted) {
                                All.LeavesOut = finish(Options, T, M, Stock, Log, Counted);
                                count(All.Result);
                              });
  if (!Whole)
    return std::nullopt;
  return All;
}

/// May the topology mean the variable where it says what other nodes reach? By its name, in whatever file or
/// scope.
bool isRegion(const Topology &T, const llvm::GlobalVariable &Global) {
  auto last = [](llvm::StringRef Name) { return Name.substr(Name.rfind(':') + 1); };
  const std::optional<Named> Variable = variableOf(&Global);
  const llvm::StringRef Own = Variable ? llvm::StringRef(Variable->Path) : Global.getName();
  for (const auto &[Entry, Paths] : T.Regions)
    for (const auto &[Path, Remote] : Paths)
      if (last(Remote.Object).take_until([](char C) { return C == '.' || C == '['; }) == last(Own))
        return true;
  return false;
}

Extracted extractFrom(const ExtractionOptions &Options, const Topology &T, llvm::Module &M) {
  ThreadPlan Threads(M);
  noteStoredNumbers(M, [&](const llvm::GlobalVariable &Global) { return isRegion(T, Global); });
  while (true)
    if (auto All = extractOnce(Options, T, M, Threads))
      return std::move(*All);
}

/// Without a topology file: what annotations say; else what the sources show, or each thread by itself.
Extraction extractAlone(const ExtractionOptions &Options, llvm::LLVMContext &Context) {
  using Assume = ExtractionOptions::Assume;
  Sources From = compileAll(Options, Context);
  if (Options.Part) {
    takeAnnotations(*From.Code, Options.Files);
    return extractFrom(Options, {}, *From.Code).Result;
  }
  if (std::optional<Topology> Said = topologyOf(takeAnnotations(*From.Code, Options.Files), From.Programs)) {
    programsOf(*Said, Options.Files);
    return extractFrom(Options, *Said, *From.Code).Result;
  }
  if (Options.Assumption == Assume::Never) {
    if (!From.Programs.empty())
      compile({Options.Files}, Options, Context); // as one program, which says what they both define
    return extractFrom(Options, {}, *From.Code).Result;
  }
  bool Always = Options.Assumption == Assume::Always || !From.Programs.empty();
  if (Always || !Options.OpenWorld)
    if (std::string Text = propose(Options, From, !Always).Text; !Text.empty()) {
      Topology T = readTopology("assumed topology", Text);
      programsOf(T, Options.Files);
      T.isOf(Options.Files.front());
      auto M = Always ? std::move(From.Code) : llvm::CloneModule(*From.Code);
      M->setIsNewDbgInfoFormat(true);
      Extracted All = extractFrom(Options, T, *M);
      if (Always || !All.LeavesOut)
        return std::move(All.Result);
    }
  return extractFrom(Options, {}, *From.Code).Result;
}

} // namespace

Extraction extract(const ExtractionOptions &Options) {
  llvm::EnablePrettyStackTrace(); // a crash says what was being analysed
  llvm::LLVMContext Context;
  Topology T = topology(Options);
  if (!T.given())
    return extractAlone(Options, Context);
  std::unique_ptr<llvm::Module> M = compile(programsOf(T, Options.Files), Options, Context);
  takeAnnotations(*M, Options.Files);
  return extractFrom(Options, T, *M).Result;
}

std::string linkedCode(const ExtractionOptions &Options) {
  llvm::LLVMContext Context;
  Topology T = topology(Options);
  std::unique_ptr<llvm::Module> M =
      T.given() ? compile(programsOf(T, Options.Files), Options, Context) : compileAll(Options, Context).Code;
  std::string Text;
  llvm::raw_string_ostream(Text) << *M;
  return Text;
}

} // namespace rdma
