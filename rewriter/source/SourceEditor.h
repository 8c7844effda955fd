// Planned remedies as edits of C and C++ sources. No Clang types here.
#pragma once

#include "analyzer/clang/Extract.h"
#include "rewriter/plan/Plan.h"

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

  /// Adds the edit. False when the source offers no place or no name for it, or it cannot be proved safe
  /// there; then Why says so and nothing is added. Before the later operation means: in the innermost
  /// function that both operations came through.
  bool add(const Program &P, const PlannedEdit &Edit, std::string &Why);
  /// The same without adding it.
  bool canAdd(const Program &P, const PlannedEdit &Edit, std::string &Why);

  /// Where an edit is written that can be: waits with the same place are one call. Empty: nowhere.
  std::string standsAt(const Program &P, const PlannedEdit &Edit);

  /// How many rounds of a loop the buffers may last for that the two operations use: what the functions that
  /// they came through take an index modulo of, or how many elements the arrays have; at most three, the
  /// likeliest first.
  std::vector<unsigned> rounds(const Program &P, const Violation &V);

  /// Forgets what was added.
  void clear();

  /// The edited files, by name as in the options, with the header that inserted calls need.
  std::map<std::string, std::string> result() const;

private:
  struct Implementation;
  std::unique_ptr<Implementation> Impl;
};

} // namespace rdma
