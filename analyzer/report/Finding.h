// A finding: what a user is told about one pair of operations. A value; analysis makes it, formats print it.
#pragma once

#include "analyzer/core/Violation.h"

#include <optional>
#include <string>
#include <vector>

namespace rdma {

enum class Severity : std::uint8_t { Warning, Remark };

struct Note {
  Place At;
  std::string Text;
};

/// A step of an execution: what happened, and whose doing it was.
struct ExecutionStep {
  Place At;
  std::string Thread, Node, Text;
  bool Shows = false; ///< without this step the execution would show nothing; the last of these came late
};

/// What came of looking for an execution that shows a finding (analyzer/confirm/Confirm.h).
struct Confirmation {
  std::vector<ExecutionStep> Execution; ///< empty: none was found
  bool Extracted = false;               ///< the program that ran is a part of what was read from C or C++
  bool AddedObserver = false;           ///< ... together with someone on another node who looks at the pair
  std::string NotTried;                 ///< why nothing was looked for; else empty
  std::string RestsOn;                  ///< a lost fact that every execution would rest on; else empty
  /// How far the search went: statements of the program that ran, rounds of a loop on their way at once,
  /// time.
  unsigned Statements = 0, Unroll = 0;
  double Seconds = 0;
  bool Complete = false; ///< every state was looked at: no execution shows it
  bool confirmed() const { return !Execution.empty(); }
};

/// Why a finding is not shown (analyzer/select; Folded: another one with the same cause is).
enum class Hiding : std::uint8_t { Shown, Nolint, Baseline, Filter, Check, Folded };

/// The name under which SARIF carries a fingerprint.
inline constexpr const char *FingerprintKey = "rdmaTidy/v1";

struct Finding {
  std::string Check; ///< rdma-local-race, rdma-fenced, rdma-atomics, rdma-fenced-strict or rdma-not-analysed
  Severity Level = Severity::Warning;
  Note Main;
  std::vector<Note> Notes = {};
  std::vector<Violation> Causes = {}; ///< each is one way to read the finding; none for what was not analysed
  std::optional<Confirmation> Shown = {}; ///< when it was asked for
  /// A remark on something that is not proved: while it stands, nothing is robust.
  bool Withholds = false;
  std::string RestsOn = {}; ///< the fact that was lost, when its causes hang on one
  std::uint64_t Pairs = 0;  ///< of a remark: how many pairs are not proved for it
  Hiding Hidden = Hiding::Shown;
  std::size_t Under = 0;        ///< Folded: the finding that stands for it (analyzer/report/Causes.h)
  bool AsError = false;         ///< by --warnings-as-errors
  std::string Fingerprint = {}; ///< survives moved lines; set by the selection
};

/// The honest line's figures.
struct Summary {
  unsigned Operations = 0, QueuePairs = 0;
  std::uint64_t PairsOrdered = 0, PairsNotOrdered = 0, PairsNotProved = 0;
  unsigned SitesNotAnalysed = 0;
  std::vector<std::string> FailedPrograms = {}; ///< why each was not analysed: clang's own text
  bool Robust = false;
  bool Asked = true; ///< what other nodes may see: by a topology or --open-world
  std::string Model;
};

} // namespace rdma
