// From a statement graph back to sequences, choices and loops.
//
// A thread is a finite automaton whose words are its paths; the structured form is a regular expression for
// the same words, found by eliminating states. Graphs that came from structured code come back without
// duplicated statements.
#pragma once

#include "ir/Program.h"

#include <memory>

namespace rdma {

struct Structured;
using StructuredPtr = std::shared_ptr<const Structured>;

struct Structured {
  enum class Kind : std::uint8_t { Statement, Sequence, Choice, Loop } What = Kind::Sequence;
  StatementId Id = None;            ///< Statement
  std::vector<StructuredPtr> Parts; ///< Sequence, Choice; Loop has one
  double Length = 0;                ///< statements in all parts, counted where they stand
};

/// An empty Sequence stands for doing nothing. Statements from which the thread cannot end are kept: a thread
/// may stop anywhere as far as orders are concerned.
StructuredPtr structure(const Thread &T);

} // namespace rdma
