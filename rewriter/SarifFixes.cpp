#include "rewriter/SarifFixes.h"

#include "analyzer/report/Formats.h"
#include "analyzer/report/SarifPlaces.h"
#include "rewriter/Reading.h"

#include <algorithm>
#include <filesystem>

namespace rdma {

using nlohmann::json;

namespace {

/// Line and column, in code points, from 1.
std::pair<std::size_t, std::size_t> placeAt(const std::string &Text, std::size_t Offset) {
  auto Here = Text.begin() + Offset;
  std::size_t Before = Text.rfind('\n', Offset - 1);
  auto Line = Offset == 0 || Before == std::string::npos ? Text.begin() : Text.begin() + Before + 1;
  auto BeginsCharacter = [](char C) { return (C & 0xC0) != 0x80; };
  return {std::count(Text.begin(), Here, '\n') + 1, std::count_if(Line, Here, BeginsCharacter) + 1};
}

json replacement(const std::string &Old, const Change &C) {
  auto [Line, Column] = placeAt(Old, C.Offset);
  auto [EndLine, EndColumn] = placeAt(Old, C.Offset + C.Length);
  return {{"deletedRegion",
           {{"startLine", Line}, {"startColumn", Column}, {"endLine", EndLine}, {"endColumn", EndColumn}}},
          {"insertedContent", {{"text", C.Text}}}};
}

json wholeFix(const Fix &F) {
  json Files = json::array();
  for (const auto &[File, New] : F.After) {
    const std::string &Old = F.Before.at(File);
    json Replacements = json::array();
    for (const Change &C : changes(Old, New))
      Replacements.push_back(replacement(Old, C));
    json Artifact = {{"uri", uriOf(File)}};
    if (!std::filesystem::path(File).is_absolute())
      Artifact["uriBaseId"] = "%SRCROOT%";
    Files.push_back({{"artifactLocation", Artifact}, {"replacements", Replacements}});
  }
  return {{"description", {{"text", "order this program as 'rdma-fix --in-place' does"}}},
          {"artifactChanges", Files}};
}

} // namespace

json sarifWithFixes(const Fix &F) {
  std::vector<Finding> All = shownIn(F.Was, Severity::Warning);
  json Sarif = asSarif(All, F.Was.Decided, F.Was.Sum);
  if (F.After.empty())
    return Sarif;
  std::vector<Finding> Left = shownIn(F.Now, Severity::Warning);
  json Edits = json::array({wholeFix(F)});
  json &Results = Sarif["runs"][0]["results"];
  for (std::size_t I = 0; I < All.size(); ++I)
    if (std::none_of(Left.begin(), Left.end(),
                     [&](const Finding &X) { return X.Fingerprint == All[I].Fingerprint; }))
      Results[I]["fixes"] = Edits;
  return Sarif;
}

} // namespace rdma
