// The checks by name, and the --checks list of clang-tidy's grammar: globs joined by commas, '-' takes away.
#pragma once

#include "analyzer/report/Finding.h"

#include <span>

namespace rdma {

struct Check {
  std::string_view Name, Summary;
  bool Default;
};
std::span<const Check> allChecks();

/// As clang-tidy's globs: a '*' stands for anything, and nothing else is special.
bool matchesGlob(const std::string &Name, std::string_view Glob);

/// Does a glob that adds match last? The empty list matches nothing.
bool matchesAny(const std::string &Check, const std::string &List);

/// Is the check in the list? The list is read from left to right on top of the default checks.
bool enabled(const std::string &Check, const std::string &List);

/// The first glob of the list that matches no check; empty when there is none.
std::string unknownCheck(const std::string &List);

std::vector<Finding> selected(std::vector<Finding> Findings, const std::string &List);

} // namespace rdma
