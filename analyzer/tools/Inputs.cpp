#include "analyzer/tools/Inputs.h"

#include "analyzer/clang/Extract.h"
#include "analyzer/report/Checks.h"
#include "analyzer/tools/Database.h"
#include "ir/Litmus.h"

#include <algorithm>

namespace rdma {

ExtractionOptions extractionOptions(const Options &O, const std::map<std::string, std::string> &Overlay) {
  ExtractionOptions E;
  E.Files = O.Files;
  E.BuildPath = O.BuildPath;
  E.Flags = O.CompileFlags;
  E.HasFlags = O.HasCompileFlags;
  E.ExtraArgs = O.ExtraArgs;
  E.ExtraArgsBefore = O.ExtraArgsBefore;
  E.ExtraArgs.push_back("-idirafter" + runtimeHeaders());
  E.TopologyFile = O.Topology;
  E.Assumption = O.Assumption == "always"  ? ExtractionOptions::Assume::Always
                 : O.Assumption == "never" ? ExtractionOptions::Assume::Never
                                           : ExtractionOptions::Assume::Shown;
  E.OpenWorld = O.OpenWorld;
  E.Part = O.Alone;
  E.CacheFolder = O.Cache;
  if (!O.BuildPath.empty() && !O.HasCompileFlags)
    E.Targets = databaseTargets(O.BuildPath);
  E.Objects = O.Objects;
  E.Overlay = Overlay;
  return E;
}

void requireChecks(const Options &O) {
  if (std::string Glob = unknownCheck(O.Checks); !Glob.empty())
    throw UsageError("no check matches '" + Glob + "'; rdma-tidy --list-checks names them");
  auto All = allChecks();
  if (std::none_of(All.begin(), All.end(), [&](auto &C) { return enabled(std::string(C.Name), O.Checks); }))
    throw UsageError("no checks enabled");
}

Program readInputs(const Options &O, const std::map<std::string, std::string> &Overlay) {
  if (std::any_of(O.Files.begin(), O.Files.end(), isLitmus)) {
    if (O.Files.size() > 1)
      throw UsageError("a litmus file is a program of its own; give one at a time");
    auto Found = Overlay.find(O.Files.front());
    return Found == Overlay.end() ? readLitmus(O.Files.front()).Code
                                  : parseLitmus(Found->second, O.Files.front()).Code;
  }
  return extract(extractionOptions(O, Overlay)).Code;
}

} // namespace rdma
