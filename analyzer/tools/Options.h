// The command line that rdma-tidy and rdma-fix share, spelled as clang-tidy spells it.
#pragma once

#include "ir/Orders.h"

#include <chrono>
#include <functional>
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
  std::string BuildPath;                 ///< -p
  std::vector<std::string> ExtraArgs;    ///< --extra-arg
  std::vector<std::string> CompileFlags; ///< after --
  bool HasCompileFlags = false;
  Model CpuModel = Model::RdmaTso;
  std::string Checks, Topology;
  bool OpenWorld = false, Quiet = false;
};

/// An option that one tool has and the other has not. Takes "" when the option has no value.
struct ToolOption {
  std::string Name;
  bool HasValue;
  std::string Help;
  std::function<void(const std::string &)> Set;
};

/// Throws UsageError. --help and --version print and exit.
Options parseOptions(int Argc, char **Argv, const std::string &Summary, const std::vector<ToolOption> &Own);

/// The value of --NAME as a number that is not negative, and as seconds. Throw UsageError.
double numberOption(const std::string &Name, const std::string &Text);
std::chrono::milliseconds timeOption(const std::string &Name, const std::string &Text);

/// Runs a tool's main and turns UsageError, InputError and anything else into one line and status 2.
int runTool(const char *Name, const std::function<int()> &Main);

bool isLitmus(const std::string &File);

} // namespace rdma
