#include "analyzer/config/Config.h"
#include "analyzer/config/Nearest.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex.h>
#include <sstream>
#include <yaml-cpp/yaml.h>

namespace rdma {
namespace {

namespace fs = std::filesystem;
constexpr const char *FileName = ".rdma-tidy";

class Reader {
public:
  Reader(const std::string &Name, const std::string &Folder) : Name(Name), Folder(Folder) {}

  Config read(const std::string &Text) {
    YAML::Node Root;
    try {
      Root = YAML::Load(Text);
    } catch (const YAML::Exception &E) {
      fail(E.mark, E.msg);
    }
    if (Root.IsNull())
      return C;
    if (!Root.IsMap())
      fail(Root.Mark(), "the configuration must be a map of keys");
    for (const auto &Entry : Root)
      set(Entry.first, Entry.second);
    return C;
  }

private:
  [[noreturn]] void fail(const YAML::Mark &At, const std::string &Message) const {
    std::string Where = Name;
    if (!At.is_null())
      Where += ":" + std::to_string(At.line + 1) + ":" + std::to_string(At.column + 1);
    throw ConfigError(Where + ": " + Message);
  }

  std::string text(const YAML::Node &Value) const {
    if (Value.IsNull())
      return "";
    if (!Value.IsScalar())
      fail(Value.Mark(), "'" + Key + "' must be one text");
    return Value.Scalar();
  }

  bool truth(const YAML::Node &Value) const {
    try {
      return Value.as<bool>();
    } catch (const YAML::Exception &) {
      fail(Value.Mark(), "'" + Key + "' must be true or false");
    }
  }

  std::vector<std::string> list(const YAML::Node &Value) const {
    if (!Value.IsSequence())
      fail(Value.Mark(), "'" + Key + "' must be a list");
    std::vector<std::string> Words;
    for (const YAML::Node &Item : Value)
      Words.push_back(text(Item));
    return Words;
  }

  /// Globs joined by commas, lines joined too; or a list of them.
  std::string globs(const YAML::Node &Value) const {
    std::string Joined;
    if (Value.IsSequence())
      for (const std::string &Glob : list(Value))
        Joined += (Joined.empty() ? "" : ",") + Glob;
    else
      Joined = text(Value);
    std::replace(Joined.begin(), Joined.end(), '\n', ',');
    while (Joined.ends_with(','))
      Joined.pop_back();
    std::erase_if(Joined, [](unsigned char Byte) { return std::isspace(Byte); });
    return Joined;
  }

  std::string path(const YAML::Node &Value) const {
    fs::path Given = text(Value);
    return Given.empty() || Given.is_absolute() || Folder.empty() ? Given.string()
                                                                  : (fs::path(Folder) / Given).string();
  }

  /// Empty, as --dump-config writes what was not said, or one of Words.
  std::string oneOf(const YAML::Node &Value, const std::vector<std::string> &Words) const {
    std::string Given = text(Value), Known;
    for (const std::string &Word : Words) {
      if (Given.empty() || Given == Word)
        return Given;
      Known += (Known.empty() ? "" : Word == Words.back() ? " or " : ", ") + Word;
    }
    fail(Value.Mark(), "'" + Key + "' is " + Known + ", not '" + Given + "'" + suggestion(Given, Words));
  }

  std::string pattern(const YAML::Node &Value) const {
    std::string Given = text(Value);
    regex_t Code;
    if (int Failed = regcomp(&Code, Given.c_str(), REG_EXTENDED | REG_NOSUB)) {
      char Message[128];
      regerror(Failed, &Code, Message, sizeof Message);
      fail(Value.Mark(), "'" + Given + "' is no regular expression: " + Message);
    }
    regfree(&Code);
    return Given;
  }

  void noCheckOption(const YAML::Node &Value) const {
    if (Value.IsMap() || Value.IsSequence())
      for (const auto &Entry : Value)
        fail(Value.Mark(), "no check has an option '" +
                               (Value.IsMap()  ? Entry.first.Scalar()
                                : Entry["key"] ? Entry["key"].Scalar()
                                               : "") +
                               "'");
  }

  void set(const YAML::Node &KeyNode, const YAML::Node &Value) {
    Key = KeyNode.IsScalar() ? KeyNode.Scalar() : "";
    const std::map<std::string, std::function<void()>> Setters = {
        {"Checks", [&] { C.Checks = globs(Value); }},
        {"WarningsAsErrors", [&] { C.WarningsAsErrors = globs(Value); }},
        {"HeaderFilterRegex", [&] { C.HeaderFilter = pattern(Value); }},
        {"ExcludeHeaderFilterRegex", [&] { C.ExcludeHeaderFilter = pattern(Value); }},
        {"UseColor", [&] { C.UseColor = truth(Value); }},
        {"ExtraArgs", [&] { C.ExtraArgs = list(Value); }},
        {"ExtraArgsBefore", [&] { C.ExtraArgsBefore = list(Value); }},
        {"InheritParentConfig", [&] { C.InheritParent = truth(Value); }},
        {"CheckOptions", [&] { noCheckOption(Value); }},
        // A copy of `.clang-tidy` may have them; nothing here hangs on them.
        {"FormatStyle", [&] { text(Value); }},
        {"User", [&] { text(Value); }},
        {"SystemHeaders", [&] { truth(Value); }},
        {"HeaderFileExtensions", [&] { list(Value); }},
        {"ImplementationFileExtensions", [&] { list(Value); }},
        {"Model", [&] { C.CpuModel = oneOf(Value, {"rdma-tso", "rdma-sc"}); }},
        {"FailOn", [&] { C.FailOn = oneOf(Value, {"finding", "unknown", "never"}); }},
        {"OpenWorld", [&] { C.OpenWorld = truth(Value); }},
        {"Topology", [&] { C.Topology = path(Value); }},
        {"Baseline", [&] { C.Baseline = path(Value); }},
        {"Cache", [&] { C.Cache = path(Value); }},
    };
    auto Found = Setters.find(Key);
    if (Found == Setters.end()) {
      std::vector<std::string> Known;
      for (const auto &[Word, Set] : Setters)
        Known.push_back(Word);
      fail(KeyNode.Mark(), "unknown key '" + Key + "'" + suggestion(Key, Known));
    }
    Found->second();
  }

  const std::string &Name, &Folder;
  std::string Key;
  Config C;
};

template <class T> void replace(std::optional<T> &Old, const std::optional<T> &New) {
  if (New)
    Old = New;
}

void append(std::vector<std::string> &Old, const std::vector<std::string> &New) {
  Old.insert(Old.end(), New.begin(), New.end());
}

void joinGlobs(std::optional<std::string> &Old, const std::optional<std::string> &New) {
  if (New)
    Old = Old && !Old->empty() ? *Old + "," + *New : *New;
}

} // namespace

Config parseConfig(const std::string &Text, const std::string &Name, const std::string &Folder) {
  return Reader(Name, Folder).read(Text);
}

Config readConfig(const std::string &File) {
  std::ifstream In(File, std::ios::binary);
  std::stringstream Text;
  if (!In || fs::is_directory(File) || !(Text << In.rdbuf(), In))
    throw ConfigError(File + ": cannot read the configuration");
  return parseConfig(Text.str(), File, fs::path(File).parent_path().string());
}

std::string nearestConfigFile(const std::string &Source) {
  std::error_code Failed;
  fs::path Folder = fs::weakly_canonical(fs::absolute(Source, Failed), Failed).parent_path();
  for (;; Folder = Folder.parent_path()) {
    // One that is empty is being written.
    if (fs::path File = Folder / FileName; fs::is_regular_file(File, Failed) && !fs::is_empty(File, Failed))
      return File.string();
    if (Folder == Folder.parent_path())
      return "";
  }
}

Config nearestConfig(const std::string &Source) {
  std::string File = nearestConfigFile(Source);
  if (File.empty())
    return {};
  Config Here = readConfig(File);
  // What lies beside the folder is what its own parent holds.
  fs::path Folder = fs::path(File).parent_path();
  return Here.InheritParent && Folder.has_relative_path() ? joined(nearestConfig(Folder.string()), Here)
                                                          : Here;
}

Config joined(Config Parent, const Config &Child) {
  joinGlobs(Parent.Checks, Child.Checks);
  joinGlobs(Parent.WarningsAsErrors, Child.WarningsAsErrors);
  append(Parent.ExtraArgs, Child.ExtraArgs);
  append(Parent.ExtraArgsBefore, Child.ExtraArgsBefore);
  replace(Parent.HeaderFilter, Child.HeaderFilter);
  replace(Parent.ExcludeHeaderFilter, Child.ExcludeHeaderFilter);
  replace(Parent.UseColor, Child.UseColor);
  replace(Parent.CpuModel, Child.CpuModel);
  replace(Parent.FailOn, Child.FailOn);
  replace(Parent.OpenWorld, Child.OpenWorld);
  replace(Parent.Topology, Child.Topology);
  replace(Parent.Baseline, Child.Baseline);
  replace(Parent.Cache, Child.Cache);
  return Parent;
}

std::string dumpConfig(const Config &C) {
  YAML::Emitter Out;
  Out << YAML::BeginDoc << YAML::BeginMap;
  auto Text = [&](const char *Key, const std::optional<std::string> &Value) {
    Out << YAML::Key << Key << YAML::Value << YAML::SingleQuoted << Value.value_or("");
  };
  auto Truth = [&](const char *Key, bool Value) { Out << YAML::Key << Key << YAML::Value << Value; };
  auto List = [&](const char *Key, const std::vector<std::string> &Words) {
    if (!Words.empty())
      Out << YAML::Key << Key << YAML::Value << Words;
  };
  Text("Checks", C.Checks);
  Text("WarningsAsErrors", C.WarningsAsErrors);
  Text("HeaderFilterRegex", C.HeaderFilter);
  Text("ExcludeHeaderFilterRegex", C.ExcludeHeaderFilter);
  List("ExtraArgs", C.ExtraArgs);
  List("ExtraArgsBefore", C.ExtraArgsBefore);
  Truth("UseColor", C.UseColor.value_or(false));
  Text("Model", C.CpuModel);
  Text("FailOn", C.FailOn);
  Truth("OpenWorld", C.OpenWorld.value_or(false));
  Text("Topology", C.Topology);
  Text("Baseline", C.Baseline);
  Text("Cache", C.Cache);
  Out << YAML::EndMap;
  return std::string(Out.c_str()) + "\n...\n";
}

} // namespace rdma
