// The command line that rdma-tidy and rdma-fix share, spelled as clang-tidy spells it.
#pragma once

#include "ir/Orders.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace rdma {

/// A wrong command line: one line for standard error, exit status 2.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  std::vector<std::string> Files;
  std::string BuildPath;                               ///< -p
  std::vector<std::string> ExtraArgs, ExtraArgsBefore; ///< --extra-arg, --extra-arg-before
  std::vector<std::string> CompileFlags;               ///< after --
  bool HasCompileFlags = false;
  std::optional<Model> GivenModel; ///< --model
  Model CpuModel = Model::RdmaTso; ///< with the configuration
  std::string Checks, Topology;
  std::optional<std::string> ConfigText, ConfigFile; ///< --config, --config-file
  std::string Assumption = "shown";                  ///< --assume-topology
  bool OpenWorld = false, Quiet = false;
  bool Alone = false;                         ///< no topology is meant for these files
  std::string Cache;                          ///< --cache
  std::map<std::string, std::string> Objects; ///< as in ExtractionOptions
};

/// An option that one tool has and the other has not. Takes "" when the option has no value.
struct ToolOption {
  std::string Name;
  bool HasValue;
  std::string Help;
  std::function<void(const std::string &)> Set;
  std::string Group = "output";
  bool Alone = false;         ///< needs no input files
  bool ValueOptional = false; ///< with HasValue: --NAME or --NAME=VALUE
};

/// What --help says around the options.
struct ToolHelp {
  std::string Summary, Examples;
  bool TakesDatabase = false; ///< -p stands for files too
};

/// Throws UsageError. --help and --version print and exit. Options may begin with one dash, as in clang-tidy.
Options parseOptions(int Argc, char **Argv, const ToolHelp &Help, const std::vector<ToolOption> &Own);

/// Throws UsageError for a name that is no model of the analysis.
Model modelOption(const std::string &Name);

/// The value of --NAME as a number that is not negative, and as seconds. Throw UsageError.
double numberOption(const std::string &Name, const std::string &Text);
std::chrono::milliseconds timeOption(const std::string &Name, const std::string &Text);

/// What is wrong, in one line, of an InputError or what it said: "FILE:LINE: error: …" as it is; without a
/// line, the tool's name is in front, "TOOL: error: FILE: …".
std::string errorLine(const std::string &Tool, const std::string &What);

/// Runs a tool's main and turns UsageError, InputError and anything else into one line and status 2.
int runTool(const char *Name, const std::function<int()> &Main);

bool isLitmus(const std::string &File);

} // namespace rdma
