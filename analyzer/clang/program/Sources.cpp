// Which sources make the program of a node.
#include "analyzer/clang/frontend/Spelling.h"
#include "analyzer/clang/program/Topology.h"
#include "analyzer/config/Nearest.h"
#include "ir/Litmus.h"

#include <llvm/Support/Path.h>

#include <algorithm>

namespace rdma::clang_ir {
namespace {

using Files = std::vector<std::string>;

/// Seen from the topology's folder; else the end of one path.
std::string sourceNamed(const Topology &T, const std::string &Name, const std::string &Node,
                        const Files &All) {
  llvm::SmallString<256> Beside(llvm::sys::path::parent_path(T.File));
  llvm::sys::path::append(Beside, Name);
  Files Fitting;
  for (const std::string &File : All) {
    if (File == Name || realFile(File) == realFile(Beside) || realFile(File) == realFile(Name))
      return File;
    if (llvm::StringRef(File).ends_with("/" + Name))
      Fitting.push_back(File);
  }
  std::string Near;
  for (const std::string &File : Fitting)
    Near += (Near.empty() ? "'" : ", '") + File + "'";
  if (Fitting.size() > 1)
    throw InputError(T.placeOf(Name), "source '" + Name + "' of node '" + Node + "' may be any of " + Near);
  if (Fitting.empty()) {
    for (const std::string &File : All)
      Near += (Near.empty() ? "; there is '" : ", '") + File + "'";
    std::string Like = suggestion(Name, All);
    throw InputError(T.placeOf(Name), "no source '" + Name + "' is analysed, which node '" + Node +
                                          "' is made of" + (Like.empty() ? Near : Like));
  }
  return Fitting.front();
}

} // namespace

std::vector<Files> programsOf(Topology &T, const Files &All) {
  std::vector<Files> Programs;
  Files Left = All;
  auto Number = [&](const Files &Sources) {
    auto Found = std::find(Programs.begin(), Programs.end(), Sources);
    if (Found == Programs.end())
      Found = Programs.insert(Found, Sources);
    return static_cast<unsigned>(Found - Programs.begin());
  };
  for (TopologyNode &Node : T.Nodes) {
    Files Own;
    for (const std::string &Name : Node.Sources)
      Own.push_back(sourceNamed(T, Name, Node.Name, All));
    std::sort(Own.begin(), Own.end());
    Own.erase(std::unique(Own.begin(), Own.end()), Own.end());
    for (const std::string &File : Own)
      std::erase(Left, File);
    if (!Own.empty())
      Node.Program = Number(Own);
  }
  if (Programs.empty())
    return {All};
  bool Open = false;
  for (TopologyNode &Node : T.Nodes)
    if (Node.Sources.empty() && !Node.Entries.empty()) {
      if (Left.empty())
        throw InputError(T.placeOf(Node.Name), "node '" + Node.Name +
                                                   "' has entries and no \"sources\", and the other nodes "
                                                   "have all there are");
      Node.Program = Number(Left);
      Open = true;
    }
  if (!Left.empty() && !Open)
    throw InputError({T.File, 0, 0, ""}, "no node has '" + Left.front() + "' among its \"sources\"");
  return Programs;
}

} // namespace rdma::clang_ir
