// A topology for sources that have none.
#include "analyzer/clang/Extract.h"
#include "analyzer/clang/frontend/Frontend.h"
#include "analyzer/clang/program/WriteTopology.h"
#include "analyzer/clang/translate/Entries.h"
#include "ir/Litmus.h"

namespace rdma {

using namespace clang_ir;

std::string proposeTopology(const ExtractionOptions &Options) {
  llvm::LLVMContext Context;
  std::unique_ptr<llvm::Module> M = compile({Options.Files}, Options, Context);
  const llvm::Function *Main = M->getFunction("main");
  FoundProgram Found{findRoles(*M), Main && !Main->isDeclaration(), nullptr, nullptr};
  if (Found.Roles.empty())
    throw InputError({Options.Files.front(), 0, 0, ""},
                     "nothing here posts or polls, so there is nothing to write a topology for");
  Topology Nodes = nodesOf(Found.Roles, Found.HasMain);
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

} // namespace rdma
