// A topology for sources that have none.
#include "analyzer/clang/Propose.h"
#include "analyzer/clang/frontend/Frontend.h"
#include "analyzer/clang/frontend/Link.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/program/Annotations.h"
#include "analyzer/clang/translate/ThreadPlan.h"
#include "ir/Litmus.h"

#include <llvm/Support/Path.h>
#include <llvm/Transforms/Utils/Cloning.h>

namespace rdma::clang_ir {

Sources compileAll(const ExtractionOptions &Options, llvm::LLVMContext &Context) {
  std::vector<std::unique_ptr<llvm::Module>> Units;
  for (const std::string &File : Options.Files)
    Units.push_back(compileOne(File, Options, Context));
  Sources All;
  std::vector<std::unique_ptr<llvm::Module>> Linked;
  for (const std::vector<std::size_t> &Program : programsIn(Units)) {
    std::vector<std::unique_ptr<llvm::Module>> Own;
    std::vector<std::string> &Files = All.Programs.emplace_back();
    for (std::size_t I : Program) {
      Own.push_back(llvm::CloneModule(*Units[I]));
      Files.push_back(Options.Files[I]);
    }
    Linked.push_back(link(std::move(Own), Files));
  }
  All.Code = Linked.empty() ? link(std::move(Units), Options.Files) : beside(std::move(Linked));
  All.Code->setIsNewDbgInfoFormat(true);
  return All;
}

ProposedTopology propose(const ExtractionOptions &Options, const Sources &From, bool OnlyShown,
                         const std::optional<std::string> &Folder) {
  std::unique_ptr<llvm::Module> M = llvm::CloneModule(*From.Code);
  M->setIsNewDbgInfoFormat(true);
  takeAnnotations(*M, Options.Files);
  FoundProgram Found{findRoles(*M), false, From.Programs, Folder, nullptr, nullptr};
  for (const llvm::Function &F : *M)
    Found.HasMain |= isMain(F) && !F.isDeclaration();
  if (Found.Roles.empty() || (OnlyShown && !showsEnds(Found)))
    return {};
  Topology Nodes = nodesOf(Found);
  ThreadPlan Threads(*M);
  while (true) {
    Program P;
    Inventory Stock(P, Nodes, *M);
    RemarkLog Unheard;
    if (!extractThreads(Threads, findEntries(*M, Stock, Options.Files), Stock, Unheard,
                        [](const std::deque<CountedThread> &) {}))
      continue;
    Found.Paths = &Stock.Seen;
    Found.Members = &Stock.Members;
    return writeTopology(Nodes, Found);
  }
}

} // namespace rdma::clang_ir

namespace rdma {

std::optional<ShownEnd> shownEnd(const ExtractionOptions &Options) {
  llvm::LLVMContext Context;
  clang_ir::Sources From;
  try {
    From = clang_ir::compileAll(Options, Context);
  } catch (const InputError &) {
    return std::nullopt; // the analysis says it
  }
  llvm::Module &M = *From.Code;
  if (!From.Programs.empty() || !clang_ir::takeAnnotations(M, Options.Files).empty() ||
      llvm::none_of(M, [](const llvm::Function &F) { return clang_ir::isMain(F) && !F.isDeclaration(); }))
    return std::nullopt;
  const std::vector<clang_ir::Role> Roles = clang_ir::findRoles(M, true);
  if (Roles.size() != 1)
    return std::nullopt;
  return Roles.front().End;
}

bool areEnds(const ShownEnd &A, const ShownEnd &B) {
  // One asks and the other answers; who does both has both ends.
  auto across = [&](bool ShownEnd::*Asks, bool ShownEnd::*Answers) {
    return A.*Asks != A.*Answers && A.*Asks == B.*Answers && A.*Answers == B.*Asks;
  };
  if (A.Connects || A.Accepts || B.Connects || B.Accepts)
    return across(&ShownEnd::Connects, &ShownEnd::Accepts);
  const bool NobodyCalls = !A.Calls && !A.Answers && !B.Calls && !B.Answers;
  return (NobodyCalls || across(&ShownEnd::Calls, &ShownEnd::Answers)) &&
         llvm::any_of(A.Numbered, [&](const std::string &Struct) { return B.Numbered.count(Struct) > 0; });
}

ProposedTopology proposeTopology(const ExtractionOptions &Options, const std::string &File) {
  llvm::LLVMContext Context;
  std::optional<std::string> Folder;
  if (!File.empty())
    Folder = llvm::sys::path::parent_path(File).str();
  ProposedTopology T = clang_ir::propose(Options, clang_ir::compileAll(Options, Context), false, Folder);
  if (T.Text.empty())
    throw InputError({Options.Files.front(), 0, 0, ""},
                     "nothing here posts or polls, so there is nothing to write a topology for");
  return T;
}

} // namespace rdma
