// Planned remedies as edits of C and C++ sources. No Clang types here.
#pragma once

#include "analyzer/clang/Extract.h"
#include "rewriter/Plan.h"

#include <map>
#include <memory>
#include <string>

namespace rdma {

/// Reads each file's syntax tree once; edits gather until result() applies them. Sources on disk stay
/// untouched.
class SourceEditor {
public:
  explicit SourceEditor(const ExtractionOptions &Options);
  ~SourceEditor();

  /// Adds the edit. False when the source offers no place or no name for it; then Why says so and nothing is
  /// added. The edit goes before the later operation, in the innermost function that both operations came
  /// through; where the queue pair has no name there, right behind the earlier operation instead.
  bool add(const Program &P, const PlannedEdit &Edit, std::string &Why);

  /// The edited files, by name as in the options, with the header that inserted calls need.
  std::map<std::string, std::string> result() const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> Impl;
};

} // namespace rdma
