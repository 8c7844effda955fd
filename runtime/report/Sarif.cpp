#include "runtime/report/Report.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

namespace rdma::report {

using nlohmann::json;

namespace {

std::string percentEncoded(const std::string &Path) {
  constexpr const char *Digits = "0123456789ABCDEF";
  std::string Uri;
  for (unsigned char Byte : Path)
    if ((Byte < 0x80 && std::isalnum(Byte)) ||
        std::string_view("/-._~").find(static_cast<char>(Byte)) != std::string_view::npos)
      Uri += static_cast<char>(Byte);
    else
      Uri += {'%', Digits[Byte >> 4], Digits[Byte & 15]};
  return Uri;
}

/// An absolute path; relative to the folder of the run where it lies below it.
json artifactOf(const std::string &File) {
  std::filesystem::path Path = std::filesystem::path(File).lexically_normal();
  std::filesystem::path Below = Path.lexically_relative(std::filesystem::current_path());
  if (Below.empty() || *Below.begin() == "..")
    return {{"uri", "file://" + percentEncoded(Path.string())}};
  return {{"uri", percentEncoded(Below.string())}, {"uriBaseId", "%SRCROOT%"}};
}

json locationOf(const Frame &F) {
  json L = json::object();
  if (!F.Function.empty())
    L["logicalLocations"] = json::array({{{"name", F.Function}, {"kind", "function"}}});
  const std::string &Where = F.File.empty() ? F.Module : F.File;
  // What a library was compiled from elsewhere is no file here.
  if (Where.empty() || !std::filesystem::path(Where).is_absolute())
    return L;
  L["physicalLocation"]["artifactLocation"] = artifactOf(Where);
  if (F.Line)
    L["physicalLocation"]["region"]["startLine"] = F.Line;
  if (F.Line && F.Column)
    L["physicalLocation"]["region"]["startColumn"] = F.Column;
  return L;
}

json stackOf(const Side &S) {
  json Frames = json::array();
  for (const Frame &F : S.Frames) {
    Frames.push_back({{"location", locationOf(F)}});
    if (!F.Module.empty())
      Frames.back()["module"] = F.Module;
  }
  return {{"message", {{"text", S.What}}}, {"frames", Frames}};
}

std::string messageOf(const Report &R) {
  std::string Text = R.What;
  for (const Side &S : R.Sides)
    if (R.Rule != "lifetime")
      Text += (&S == &R.Sides.front() ? ": " : "; ") + S.What;
  return Text;
}

json resultOf(const Report &R, std::size_t Rule) {
  json Result = {{"ruleId", R.Rule},
                 {"ruleIndex", Rule},
                 {"level", "warning"},
                 {"message", {{"text", messageOf(R)}}},
                 {"partialFingerprints", {{"rdmaRun/v1", R.fingerprint()}}}};
  for (const Side &S : R.Sides) {
    const Frame *At = S.place();
    json Location = At ? locationOf(*At) : json::object();
    Result["stacks"].push_back(stackOf(S));
    if (&S == &R.Sides.front()) {
      if (!Location.empty())
        Result["locations"] = json::array({Location});
      continue;
    }
    auto Number = Result.contains("relatedLocations") ? Result["relatedLocations"].size() : 0;
    Location["id"] = Number;
    Location["message"]["text"] = S.What;
    Result["relatedLocations"].push_back(Location);
  }
  return Result;
}

std::string helpOf(const std::string &Rule) {
  if (Rule == "race")
    return "Two accesses to the same memory that nothing orders, and one of them writes. An access of the "
           "NIC is ordered before the "
           "program's only by taking a completion that covers it, and one request before another by the "
           "order table: see the "
           "sub-event in the name of its task. Wait for the completion, set IBV_SEND_FENCE, or flush.";
  if (Rule == "lifetime")
    return "A request may still use what has ended: its memory region or its queue pair; or nobody took a "
           "completion. Take the "
           "completions first.";
  return "A report of ThreadSanitizer that has nothing to do with the NIC.";
}

json ruleOf(const std::string &Rule) {
  return {{"id", Rule},
          {"shortDescription", {{"text", "rdma-run --check: " + Rule}}},
          {"fullDescription", {{"text", helpOf(Rule)}}},
          {"help", {{"text", helpOf(Rule)}}},
          {"defaultConfiguration", {{"enabled", true}}}};
}

} // namespace

std::string sarif(const std::vector<Report> &All, const std::string &Version) {
  json Rules = json::array(), Results = json::array();
  std::map<std::string, std::size_t> RuleAt, ResultAt;
  for (const Report &R : All) {
    auto [Rule, IsNewRule] = RuleAt.try_emplace(R.Rule, RuleAt.size());
    if (IsNewRule)
      Rules.push_back(ruleOf(R.Rule));
    auto [Result, IsNew] = ResultAt.try_emplace(R.fingerprint(), Results.size());
    if (IsNew)
      Results.push_back(resultOf(R, Rule->second));
    else
      Results[Result->second]["occurrenceCount"] = Results[Result->second].value("occurrenceCount", 1) + 1;
  }
  json Log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
              {"version", "2.1.0"},
              {"runs",
               {{{"tool", {{"driver", {{"name", "rdma-run"}, {"version", Version}, {"rules", Rules}}}}},
                 {"columnKind", "unicodeCodePoints"},
                 {"results", Results}}}}};
  return Log.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

} // namespace rdma::report
