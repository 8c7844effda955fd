// The configuration file `.rdma-tidy`: YAML with clang-tidy's keys, and a few of our own.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace rdma {

/// "FILE:LINE:COLUMN: what is wrong", without the numbers that are not known.
class ConfigError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is absent was not said.
struct Config {
  std::optional<std::string> Checks, WarningsAsErrors;
  std::optional<std::string> HeaderFilter, ExcludeHeaderFilter;
  std::optional<bool> UseColor;
  std::vector<std::string> ExtraArgs, ExtraArgsBefore;
  bool InheritParent = false;
  std::optional<std::string> CpuModel, FailOn;
  std::optional<bool> OpenWorld;
  std::optional<std::string> Topology, Baseline, Cache; ///< relative ones are meant from the file's folder
};

/// Throws ConfigError. Name stands for the text in messages; Folder is where relative paths begin.
Config parseConfig(const std::string &Text, const std::string &Name, const std::string &Folder);
Config readConfig(const std::string &File);

/// The nearest `.rdma-tidy` in the folder of Source or above it; empty when there is none.
std::string nearestConfigFile(const std::string &Source);

/// What that file says, on top of what it inherits. Says nothing when there is none.
Config nearestConfig(const std::string &Source);

/// Parent, with what Child says on top: lists and globs are joined, the rest is replaced.
Config joined(Config Parent, const Config &Child);

/// As YAML that parseConfig reads back.
std::string dumpConfig(const Config &C);

} // namespace rdma
