#include "analyzer/select/Filters.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex.h>

namespace rdma {

using nlohmann::json;

struct CompiledPattern {
  regex_t Code;
  ~CompiledPattern() { regfree(&Code); }
};

Pattern::Pattern(const std::string &Option, const std::string &Text) {
  regex_t Code;
  if (int Failed = regcomp(&Code, Text.c_str(), REG_EXTENDED | REG_NOSUB)) {
    char Message[128];
    regerror(Failed, &Code, Message, sizeof Message);
    throw SelectionError("--" + Option + "='" + Text + "' is no regular expression: " + Message);
  }
  Compiled = std::make_shared<CompiledPattern>(Code);
}

bool Pattern::isIn(const std::string &Name) const {
  return regexec(&Compiled->Code, Name.c_str(), 0, nullptr, 0) == 0;
}

bool LineFilter::passes(const Place &At) const {
  if (Files.empty())
    return true;
  auto Named = std::find_if(Files.begin(), Files.end(), [&](auto &F) { return At.File.ends_with(F.Name); });
  if (Named == Files.end())
    return false;
  return Named->Lines.empty() || std::any_of(Named->Lines.begin(), Named->Lines.end(), [&](auto Range) {
           return Range.first <= At.Line && At.Line <= Range.second;
         });
}

LineFilter parseLineFilter(const std::string &Text) {
  LineFilter Filter;
  try {
    const json Root = json::parse(Text);
    for (const json &Entry : Root.get_ref<const json::array_t &>()) {
      LineFilter::File File{Entry.at("name").get<std::string>(), {}};
      if (File.Name.empty())
        throw SelectionError("--line-filter has an empty name");
      for (const auto &[Key, Value] : Entry.items())
        if (Key != "name" && Key != "lines")
          throw SelectionError("--line-filter knows \"name\" and \"lines\", not \"" + Key + "\"");
      for (const json &Range : Entry.value("lines", json::array_t()))
        File.Lines.push_back({Range.at(0).get<unsigned>(), Range.at(1).get<unsigned>()});
      Filter.Files.push_back(std::move(File));
    }
  } catch (const json::exception &) {
    throw SelectionError("--line-filter wants [{\"name\":\"FILE\",\"lines\":[[FIRST,LAST]]}], not '" + Text +
                         "'");
  }
  return Filter;
}

Filters::Filters(std::vector<std::string> MainFiles, std::optional<Pattern> Headers,
                 std::optional<Pattern> Excluded, LineFilter Lines)
    : MainFiles(std::move(MainFiles)), Headers(std::move(Headers)), Excluded(std::move(Excluded)),
      Lines(std::move(Lines)) {}

bool Filters::passesHeaders(const Place &At) const {
  if (At.File.empty() || std::find(MainFiles.begin(), MainFiles.end(), At.File) != MainFiles.end())
    return true;
  return (!Headers || Headers->isIn(At.File)) && !(Excluded && Excluded->isIn(At.File));
}

bool Filters::passes(const Finding &F) const {
  auto Passes = [&](auto Test) {
    return Test(F.Main.At) ||
           std::any_of(F.Notes.begin(), F.Notes.end(), [&](const Note &N) { return Test(N.At); });
  };
  return Passes([&](const Place &At) { return passesHeaders(At); }) &&
         Passes([&](const Place &At) { return Lines.passes(At); });
}

} // namespace rdma
