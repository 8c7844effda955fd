#include "analyzer/clang/program/Targets.h"
#include "analyzer/clang/Extract.h"
#include "analyzer/clang/frontend/Spelling.h"
#include "ir/Litmus.h"

#include <algorithm>

namespace rdma::clang_ir {
namespace {

/// CMake's targets carry their folder: "src/server".
const std::vector<std::string> *targetCalled(const TargetSources &Targets, const std::string &Name) {
  for (const auto &[Target, Sources] : Targets)
    if (Target == Name || llvm::StringRef(Target).ends_with("/" + Name))
      return &Sources;
  return nullptr;
}

bool isFile(const std::string &Name, const std::vector<std::string> &Files) {
  return std::any_of(Files.begin(), Files.end(), [&](const std::string &File) {
    return File == Name || llvm::StringRef(File).ends_with("/" + Name);
  });
}

} // namespace

void replaceTargets(Topology &T, const TargetSources &Targets, const std::vector<std::string> &Files) {
  for (TopologyNode &Node : T.Nodes) {
    std::vector<std::string> Sources;
    for (const std::string &Name : Node.Sources) {
      const std::vector<std::string> *Target = isFile(Name, Files) ? nullptr : targetCalled(Targets, Name);
      if (!Target) {
        Sources.push_back(Name);
        continue;
      }
      std::size_t Before = Sources.size();
      for (const std::string &Source : *Target)
        for (const std::string &File : Files)
          if (realFile(File) == realFile(Source))
            Sources.push_back(File);
      if (Sources.size() == Before)
        throw InputError(T.placeOf(Name), "no source of target '" + Name + "' is analysed, which node '" +
                                              Node.Name + "' is made of");
    }
    Node.Sources = std::move(Sources);
  }
}

} // namespace rdma::clang_ir

namespace rdma {

std::vector<std::string> sourcesNamedIn(const std::string &TopologyFile) {
  std::vector<std::string> Names;
  for (const auto &Node : clang_ir::readTopology(TopologyFile, std::nullopt).Nodes)
    Names.insert(Names.end(), Node.Sources.begin(), Node.Sources.end());
  return Names;
}

} // namespace rdma
