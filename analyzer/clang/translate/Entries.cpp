#include "analyzer/clang/translate/Entries.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/prepare/Pipeline.h"
#include "analyzer/clang/program/FunctionNames.h"
#include "analyzer/config/Nearest.h"
#include "ir/Litmus.h"

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// The symbol itself, which no other file can have; else the one function that goes by this name.
Function *functionNamed(Module &M, const std::string &Name, unsigned Program,
                        const std::string &TopologyFile) {
  std::vector<Function *> Fitting;
  for (Function &F : M)
    if (F.isDeclaration() || !isOf(F, Program))
      continue;
    else if (symbolOf(F) == Name && !F.hasLocalLinkage())
      return &F;
    else if (goesBy(F, Name))
      Fitting.push_back(&F);
  if (Fitting.size() < 2)
    return Fitting.empty() ? nullptr : Fitting.front();
  std::string All;
  for (const Function *F : Fitting)
    All += (All.empty() ? "" : ", ") + definiteName(*F) + " (" + placeOf(*F) + ")";
  throw InputError({TopologyFile, 0, 0, ""},
                   "'" + Name + "' is the name of several functions: " + All + "; write the one you mean so");
}

/// Why there is no such function, as far as that can be seen.
std::string hint(const Module &M, const std::string &Name) {
  std::string Unqualified = Name.substr(Name.rfind(':') == std::string::npos ? 0 : Name.rfind(':') + 1);
  std::string Near;
  for (const Function &F : M) {
    if (F.isIntrinsic())
      continue;
    bool Same = sourceName(F) == Unqualified || StringRef(sourceName(F)).equals_insensitive(Unqualified);
    if (Same && F.isDeclaration())
      return "; it is declared there, but not defined";
    if (Same)
      Near += (Near.empty() ? "" : ", ") + qualifiedName(F) + " (" + placeOf(F) + ")";
  }
  if (!Near.empty())
    return "; there is " + Near;
  std::vector<std::string> Defined;
  for (const Function &F : M)
    if (!F.isDeclaration() && F.getSubprogram())
      Defined.push_back(sourceName(F));
  if (std::string Like = suggestion(Unqualified, Defined); !Like.empty() && Unqualified.size() > 3)
    return Like;
  return "; a static or inline function that nothing calls is not compiled";
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
      Function *F = functionNamed(M, Name, N.Program, Stock.T.File);
      if (!F)
        throw InputError(Stock.T.placeOf(Name), "no function '" + Name + "' in " +
                                                    listed(N.Sources.empty() ? Files : N.Sources) +
                                                    hint(M, Name));
      All.push_back({F, Name, Stock.T.keyOf(N, Name), N.Name, Stock.copies(N.Name), N.standsForMore()});
    }
  if (!Stock.T.Nodes.empty())
    return All;
  const char *Here = "this node";
  if (Function *Main = M.getFunction("main"); Main && !Main->isDeclaration())
    return {{Main, "main", "main", "", {Stock.addNode(Here, 1)}}};
  for (Function &F : M)
    if (!F.isDeclaration() && F.hasExternalLinkage() && !isModelled(F)) {
      const bool Alone = !Stock.P.OpenWorld;
      const std::string Name = qualifiedName(F);
      NodeId Home = All.empty() || Alone ? Stock.addNode(All.empty() ? Here : Here + (" of " + Name), 1)
                                         : All.front().Homes.front();
      All.push_back({&F, Name, Name, "", {Home}, false, Alone});
    }
  return All;
}

} // namespace rdma::clang_ir
