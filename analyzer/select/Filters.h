// --header-filter, --exclude-header-filter and --line-filter: which places a user wants to hear of.
#pragma once

#include "analyzer/report/Finding.h"

#include <memory>
#include <stdexcept>

namespace rdma {

/// A regular expression, a list of lines or a baseline that cannot be read: one line.
class SelectionError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A POSIX extended regular expression, searched for as clang-tidy does.
class Pattern {
public:
  /// Throws SelectionError naming Option.
  Pattern(const std::string &Option, const std::string &Text);
  bool isIn(const std::string &Name) const;

private:
  std::shared_ptr<const struct CompiledPattern> Compiled;
};

struct LineFilter {
  struct File {
    std::string Name;                                 ///< the end of a path
    std::vector<std::pair<unsigned, unsigned>> Lines; ///< none: every line
  };
  std::vector<File> Files; ///< none: every file
  bool passes(const Place &At) const;
};

/// JSON as clang-tidy reads it: [{"name":"a.cpp","lines":[[1,3]]}]. Throws SelectionError.
LineFilter parseLineFilter(const std::string &Text);

class Filters {
public:
  /// MainFiles always pass the filters of headers. Without a header filter every header does.
  Filters(std::vector<std::string> MainFiles, std::optional<Pattern> Headers, std::optional<Pattern> Excluded,
          LineFilter Lines);
  /// Does one of the finding's places pass? A pair is worth a word when either end is.
  bool passes(const Finding &F) const;

private:
  bool passesHeaders(const Place &At) const;

  std::vector<std::string> MainFiles;
  std::optional<Pattern> Headers, Excluded;
  LineFilter Lines;
};

} // namespace rdma
