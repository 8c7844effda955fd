#include "analyzer/tools/Options.h"

#include "analyzer/config/Nearest.h"
#include "ir/Litmus.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <getopt.h>
#include <iostream>
#include <set>

namespace rdma {
namespace {

constexpr const char *Sources = "what is analysed", *Settings = "configuration";

std::string assumption(const std::string &When) {
  if (!When.empty() && When != "always" && When != "shown" && When != "never")
    throw UsageError("--assume-topology is always, shown or never, not '" + When + "'");
  return When.empty() ? "always" : When;
}

std::vector<ToolOption> commonOptions(Options &O) {
  auto Add = [](std::vector<std::string> &List) { return [&List](auto &V) { List.push_back(V); }; };
  return {
      {"model", true, "CPU model: rdma-tso (the default) or rdma-sc",
       [&O](auto &Name) { O.GivenModel = modelOption(Name); }, Sources},
      {"topology", true, "JSON file that says who runs where", [&O](auto &V) { O.Topology = V; }, Sources},
      {"assume-topology", true,
       "without a topology: the one --write-topology writes; nothing is called robust. WHEN is always, "
       "never, "
       "or shown by the sources (without this option)",
       [&O](auto &V) { O.Assumption = assumption(V); }, Sources, false, true},
      {"open-world", false, "without a topology: other nodes may look at everything",
       [&O](auto &) { O.OpenWorld = true; }, Sources},
      {"extra-arg", true, "a further compiler flag", Add(O.ExtraArgs), Sources},
      {"extra-arg-before", true, "a compiler flag in front of the others", Add(O.ExtraArgsBefore), Sources},
      {"cache", true, "keep compiled sources in this folder and take from there what has not changed",
       [&O](auto &V) { O.Cache = V; }, Sources},
      {"checks", true, "globs joined by commas; a leading '-' takes away; added to the configuration's",
       [&O](auto &V) { O.Checks = V; }, Settings},
      {"config", true, "the configuration itself, as YAML", [&O](auto &V) { O.ConfigText = V; }, Settings},
      {"config-file", true, "this file instead of the nearest .rdma-tidy",
       [&O](auto &V) { O.ConfigFile = V; }, Settings},
      {"quiet", false, "no progress and no counts of errors; findings and the last lines only",
       [&O](auto &) { O.Quiet = true; }},
  };
}

std::string spelled(const ToolOption &Option) {
  const char *Value = !Option.HasValue ? "" : Option.ValueOptional ? "[=…]" : "=…";
  return "--" + Option.Name + Value;
}

void printOption(const std::string &Name, const std::string &Help) {
  bool Ellipsis = Name.find("…") != Name.npos; // three bytes in one column
  std::printf("  %-*s %s\n", Ellipsis ? 28 : 26, Name.c_str(), Help.c_str());
}

void printHelp(const std::string &Tool, const ToolHelp &Help, const std::vector<ToolOption> &All) {
  std::printf("usage: %s [options] FILE... [-- COMPILER FLAGS]\n%s\n", Tool.c_str(), Help.Summary.c_str());
  std::vector<std::string> Groups{Sources, Settings, "what is reported", "confirming", "output"};
  for (const ToolOption &Option : All)
    if (std::find(Groups.begin(), Groups.end(), Option.Group) == Groups.end())
      Groups.push_back(Option.Group);
  for (const std::string &Group : Groups) {
    if (std::none_of(All.begin(), All.end(), [&](const ToolOption &Option) { return Option.Group == Group; }))
      continue;
    std::printf("\n%s:\n", Group.c_str());
    if (Group == Sources)
      printOption("-p BUILD", "folder of compile_commands.json");
    for (const ToolOption &Option : All)
      if (Option.Group == Group)
        printOption(spelled(Option), Option.Help);
  }
  std::printf("\nhelp:\n");
  printOption("--help", "this");
  printOption("--version", "the version");
  std::printf("\n%s\nexit status: 0 nothing found, 1 findings, 2 bad input or usage\n",
              Help.Examples.c_str());
  std::fflush(stdout);
}

std::vector<option> longOptions(const std::vector<ToolOption> &All) {
  std::vector<option> Long = {{"help", no_argument, nullptr, 'h'}, {"version", no_argument, nullptr, 'v'}};
  for (const ToolOption &Option : All) {
    int Value = !Option.HasValue ? no_argument : Option.ValueOptional ? optional_argument : required_argument;
    Long.push_back({Option.Name.c_str(), Value, nullptr, 0});
  }
  Long.push_back({});
  return Long;
}

/// LLVM's tools take long options with one dash, and "-p=BUILD".
std::vector<std::string> withTwoDashes(char **Begin, char **End, const std::vector<option> &Long) {
  std::vector<std::string> Words(Begin, End);
  for (std::size_t I = 1; I < Words.size(); ++I) {
    std::string &Word = Words[I];
    if (Word.starts_with("-p="))
      Word.erase(2, 1);
    if (Word.starts_with("-j") && Word.find_first_not_of("0123456789", 2) == Word.npos)
      Word = Word.size() == 2 ? "--jobs" : "--jobs=" + Word.substr(2);
    if (Word.size() < 3 || Word[0] != '-' || Word[1] == '-')
      continue;
    std::string Name = Word.substr(1, Word.find('=') - 1);
    if (std::any_of(Long.begin(), Long.end(), [&](const option &O) { return O.name && O.name == Name; }))
      Word.insert(0, "-");
  }
  return Words;
}

/// "--fix=true" is "--fix", and "--fix=false" nothing, as LLVM's tools take it.
std::vector<std::string> withoutSwitchValues(std::vector<std::string> Words,
                                             const std::vector<ToolOption> &All) {
  std::erase_if(Words, [&](std::string &Word) {
    const std::size_t Equals = Word.find('=');
    const std::string Name = Word.substr(0, Equals);
    if (Equals == Word.npos || std::none_of(All.begin(), All.end(), [&](const ToolOption &Option) {
          return !Option.HasValue && Name == "--" + Option.Name;
        }))
      return false;
    const std::string Value = Word.substr(Equals + 1);
    const bool On = Value == "true" || Value == "TRUE" || Value == "True" || Value == "1";
    const bool Off = Value == "false" || Value == "FALSE" || Value == "False" || Value == "0";
    if (!On && !Off)
      throw UsageError(Name + " wants true or false, not '" + Value + "'");
    Word = Name;
    return Off;
  });
  return Words;
}

/// A file that is named twice, in whatever spelling, is one.
std::vector<std::string> eachOnce(const std::vector<std::string> &Files) {
  std::vector<std::string> Once;
  std::set<std::string> Seen;
  for (const std::string &File : Files) {
    std::error_code None;
    std::filesystem::path Whole = std::filesystem::weakly_canonical(File, None);
    if (Seen.insert(None || isLitmus(File) ? File : Whole.string()).second)
      Once.push_back(File);
  }
  return Once;
}

[[noreturn]] void failAt(const std::string &Word, const std::vector<ToolOption> &All) {
  std::vector<std::string> Known{"--help", "--version"};
  for (const ToolOption &Option : All)
    Known.push_back("--" + Option.Name);
  std::string Name = Word.substr(0, Word.find('='));
  bool IsKnown = std::find(Known.begin(), Known.end(), Name) != Known.end();
  throw UsageError("unknown option or missing value: '" + Word + "'" +
                   (IsKnown ? "" : suggestion(Name, Known)));
}

} // namespace

Model modelOption(const std::string &Name) {
  std::optional<Model> M = modelNamed(Name);
  if (!M || *M == Model::Sc)
    throw UsageError("no model '" + Name + "'; there are rdma-tso and rdma-sc");
  return *M;
}

Options parseOptions(int Argc, char **Argv, const ToolHelp &Help, const std::vector<ToolOption> &Own) {
  Options O;
  std::vector<ToolOption> All = commonOptions(O);
  All.insert(All.end(), Own.begin(), Own.end());
  char **Dashes =
      std::find_if(Argv + 1, Argv + Argc, [](const char *Arg) { return std::string(Arg) == "--"; });
  O.HasCompileFlags = Dashes != Argv + Argc;
  if (O.HasCompileFlags)
    O.CompileFlags.assign(Dashes + 1, Argv + Argc);
  std::vector<option> Long = longOptions(All);
  std::vector<std::string> Words = withoutSwitchValues(withTwoDashes(Argv, Dashes, Long), All);
  std::vector<char *> Line;
  for (std::string &Word : Words)
    Line.push_back(Word.data());
  Line.push_back(nullptr);
  opterr = 0; // one line of our own instead
  bool Alone = false;
  int Count = Words.size(), Index = 0, At = 1; // the word that an option is read from
  for (int Code; (Code = getopt_long(Count, Line.data(), "-p:h", Long.data(), &Index)) != -1; At = optind) {
    if (Code == 1) {
      O.Files.push_back(optarg);
    } else if (Code == 0) {
      if (std::string Word = Line[At]; Word.substr(0, Word.find('=')) != "--" + All[Index - 2].Name)
        failAt(Word, All); // no abbreviations: tomorrow's options would change what they mean
      All[Index - 2].Set(optarg ? optarg : "");
      Alone |= All[Index - 2].Alone;
    } else if (Code == 'p')
      O.BuildPath = optarg;
    else if (Code == 'h')
      printHelp(Argv[0], Help, All), std::exit(0);
    else if (Code == 'v')
      std::cout << "rdma-tidy " RDMA_TIDY_VERSION "\n" << std::flush, std::exit(0);
    else
      failAt(Line[At], All);
  }
  O.Files = eachOnce(O.Files);
  for (const std::string &File : O.Files)
    if (std::filesystem::is_directory(File))
      throw UsageError("'" + File + "' is a folder and no source; -p FOLDER reads a compile database");
  if (Alone)
    std::erase_if(O.Files, [](auto &File) { return File.empty() || File == "-"; }); // as run-clang-tidy asks
  else if (O.Files.empty() && (O.BuildPath.empty() || !Help.TakesDatabase))
    throw UsageError("no input files");
  return O;
}

double numberOption(const std::string &Name, const std::string &Text) {
  std::size_t End = 0;
  double Value = -1;
  try {
    Value = std::stod(Text, &End);
  } catch (const std::exception &) {
  }
  if (End != Text.size() || !(Value >= 0 && Value < 1e9))
    throw UsageError("--" + Name + " wants a number, not '" + Text + "'");
  return Value;
}

std::chrono::milliseconds timeOption(const std::string &Name, const std::string &Text) {
  return std::chrono::milliseconds(std::lround(std::ceil(numberOption(Name, Text) * 1000)));
}

std::string errorLine(const std::string &Tool, const std::string &What) {
  static const std::string Mark = ": error: ";
  std::size_t End = What.find(Mark);
  if (End == What.npos)
    return Tool + Mark + What;
  std::string At = What.substr(0, End);
  std::size_t Colon = At.find_last_not_of("0123456789");
  if (Colon != At.npos && Colon + 1 < At.size() && At[Colon] == ':')
    return What;
  // Where no file is at fault, InputError calls it "rdma-tidy".
  return Tool + Mark + (At == "rdma-tidy" ? "" : At + ": ") + What.substr(End + Mark.size());
}

int runTool(const char *Name, const std::function<int()> &Main) {
  try {
    return Main();
  } catch (const InputError &E) {
    std::cerr << errorLine(Name, E.what()) << "\n";
  } catch (const std::exception &E) {
    std::cerr << Name << ": error: " << E.what() << "\n";
  }
  return 2;
}

bool isLitmus(const std::string &File) { return File.ends_with(".litmus"); }

} // namespace rdma
