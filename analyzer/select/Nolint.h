// NOLINT, NOLINTNEXTLINE, NOLINTBEGIN and NOLINTEND, in clang-tidy's grammar.
#pragma once

#include "analyzer/report/SourceLines.h"

#include <optional>

namespace rdma {

/// A comment, or a pair of BEGIN and END.
struct Nolint {
  Place At;
  std::string Spelling; ///< "NOLINTNEXTLINE(rdma-*)"
  /// Absent: every check. Globs that take away are left out, as clang-tidy does.
  std::optional<std::vector<std::string>> Checks;
  /// What it covers: [From, To], by line and column.
  std::pair<unsigned, unsigned> From, To;
  bool covers(const std::string &Check) const;
  /// Does it name our checks, and not clang-tidy's too by chance?
  bool namesOurs() const;
};

/// A NOLINTBEGIN without its end, or the other way round.
struct UnmatchedNolint {
  Nolint What;
  bool IsBegin;
};

struct Nolints {
  std::vector<Nolint> All;
  std::vector<UnmatchedNolint> Unmatched;
};

/// Lines as they stand in the file, the first one first.
Nolints findNolints(const std::string &File, const std::vector<std::string> &Lines);

} // namespace rdma
