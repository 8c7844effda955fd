#include "analyzer/tools/Options.h"

#include "ir/Litmus.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <getopt.h>
#include <iostream>

namespace rdma {
namespace {

std::vector<ToolOption> commonOptions(Options &O) {
  auto SetModel = [&O](const std::string &Name) {
    std::optional<Model> M = modelNamed(Name);
    if (!M || *M == Model::Sc)
      throw UsageError("no model '" + Name + "'; there are rdma-tso and rdma-sc");
    O.CpuModel = *M;
  };
  return {
      {"model", true, "CPU model: rdma-tso (the default) or rdma-sc", SetModel},
      {"checks", true, "globs joined by commas; a leading '-' takes away", [&O](auto &V) { O.Checks = V; }},
      {"topology", true, "JSON file that says who runs where", [&O](auto &V) { O.Topology = V; }},
      {"open-world", false, "without a topology: other nodes may look at everything",
       [&O](auto &) { O.OpenWorld = true; }},
      {"extra-arg", true, "a further compiler flag", [&O](auto &V) { O.ExtraArgs.push_back(V); }},
      {"quiet", false, "print findings and the last lines only", [&O](auto &) { O.Quiet = true; }},
  };
}

void printHelp(const std::string &Tool, const std::string &Summary, const std::vector<ToolOption> &All) {
  std::cout << "usage: " << Tool << " [options] FILE... [-- COMPILER FLAGS]\n" << Summary << "\n\n";
  std::printf("  %-24s %s\n", "-p BUILD", "folder of compile_commands.json");
  std::cout.flush();
  for (const ToolOption &Option : All)
    // The ellipsis is three bytes in one column.
    std::printf("  %-*s %s\n", Option.HasValue ? 26 : 24,
                ("--" + Option.Name + (Option.HasValue ? "=…" : "")).c_str(), Option.Help.c_str());
  std::fflush(stdout);
  std::cout << "\nexit status: 0 nothing found, 1 findings, 2 bad input or usage\n";
}

std::vector<option> longOptions(const std::vector<ToolOption> &All) {
  std::vector<option> Long = {{"help", no_argument, nullptr, 'h'}, {"version", no_argument, nullptr, 'v'}};
  for (const ToolOption &Option : All)
    Long.push_back({Option.Name.c_str(), Option.HasValue ? required_argument : no_argument, nullptr, 0});
  Long.push_back({});
  return Long;
}

} // namespace

Options parseOptions(int Argc, char **Argv, const std::string &Summary, const std::vector<ToolOption> &Own) {
  Options O;
  std::vector<ToolOption> All = commonOptions(O);
  All.insert(All.end(), Own.begin(), Own.end());
  char **Dashes =
      std::find_if(Argv + 1, Argv + Argc, [](const char *Arg) { return std::string(Arg) == "--"; });
  O.HasCompileFlags = Dashes != Argv + Argc;
  if (O.HasCompileFlags)
    O.CompileFlags.assign(Dashes + 1, Argv + Argc);
  std::vector<option> Long = longOptions(All);
  opterr = 0; // one line of our own instead
  int Count = Dashes - Argv, Index = 0;
  for (int Code; (Code = getopt_long(Count, Argv, "p:h", Long.data(), &Index)) != -1;) {
    if (Code == 0)
      All[Index - 2].Set(optarg ? optarg : "");
    else if (Code == 'p')
      O.BuildPath = optarg;
    else if (Code == 'h')
      printHelp(Argv[0], Summary, All), std::exit(0);
    else if (Code == 'v')
      std::cout << "rdma-tidy 0.1.0\n", std::exit(0);
    else
      throw UsageError("unknown option or missing value: '" + std::string(Argv[optind - 1]) + "'");
  }
  O.Files.assign(Argv + optind, Argv + Count);
  if (O.Files.empty())
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

int runTool(const char *Name, const std::function<int()> &Main) {
  try {
    return Main();
  } catch (const InputError &E) {
    std::cerr << E.what() << "\n";
  } catch (const std::exception &E) {
    std::cerr << Name << ": error: " << E.what() << "\n";
  }
  return 2;
}

bool isLitmus(const std::string &File) { return File.ends_with(".litmus"); }

} // namespace rdma
