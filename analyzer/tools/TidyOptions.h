// The options of rdma-tidy alone.
#pragma once

#include "analyzer/config/Config.h"
#include "analyzer/explorer/Explore.h"
#include "analyzer/select/Selection.h"
#include "analyzer/tools/Options.h"

namespace rdma {

/// What makes the exit status 1.
enum class FailOn : std::uint8_t { Finding, Unknown, Never };

struct TidyOptions {
  enum class Job : std::uint8_t {
    Analyse,
    ListChecks,
    DumpConfig,
    VerifyConfig,
    ExplainCheck,
    DumpModel,
    WriteTopology,
    EmitLlvm
  } What = Job::Analyse;
  std::string Explained;       ///< the check of --explain
  std::string WrittenTopology; ///< file; empty: standard output
  std::string Format = "text", SarifFile;
  bool EmitIr = false, Confirm = false, AllPairs = false;
  bool SarifFixes = false;
  bool Fix = false, FixErrors = false; ///< FixErrors: also where some program does not compile
  std::string Dot, OrderGraph;         ///< files for pictures
  std::string LimitGiven;              ///< the option that set one of Limits
  explorer::Limits Limits = {.Timeout = std::chrono::seconds(10)};
  Config Given; ///< what the command line says of what a configuration can say
  std::string LineFilter, WriteBaseline, ExportFixes;
  unsigned Jobs = 0; ///< 0: as many as there are processors
};

/// Options that set T.
std::vector<ToolOption> tidyOptions(TidyOptions &T);

FailOn failOn(const Config &C);

/// Throws SelectionError.
Selection selection(const Options &O, const TidyOptions &T, Config C);

} // namespace rdma
