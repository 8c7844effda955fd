// A program's threads made ready to run: operands as lists of reads, control flow without empty statements,
// and what each place may still access.
#pragma once

#include "analyzer/explorer/Footprint.h"
#include "ir/Program.h"

#include <stdexcept>

namespace rdma::explorer {

/// A program that the explorers cannot run: `what()` is "FILE:LINE:COLUMN: error: MESSAGE", or the message
/// alone when it is no single place.
class Unsupported : public std::runtime_error {
public:
  Unsupported(const Site &Where, const std::string &Message);
  bool Placed;
};

/// A CPU read that a statement does before its own effect; its value counts towards Value or Desired.
struct OperandRead {
  ObjectId Location;
  int Sign;
  bool IntoDesired;
};

struct CompiledStatement {
  Operation Op;
  StatementId Source = None; ///< in the program; None for the entry
  Site Where;
  std::vector<OperandRead> Reads;
  std::int64_t Value = 0, Desired = 0; ///< the constant parts of the operands
  /// Indices of what may come next; Exit for the end of the thread.
  std::vector<unsigned> Next;
  /// What the thread may access from this statement on, by phase. Phases: one for each operand read, then the
  /// statement's own steps; the last entry is what comes after the statement.
  std::vector<Footprint> From;
  /// Queue pairs on which a put that reads its source on the NIC may be posted from this statement on.
  std::uint64_t FuturePuts = 0;
  unsigned phases() const { return Reads.size() + OwnSteps; }
  unsigned OwnSteps = 1;
};

inline constexpr unsigned Exit = None;

struct CompiledThread {
  NodeId Home = 0;
  /// Statement 0 is the entry and does nothing.
  std::vector<CompiledStatement> Statements;
  bool Loops = false;
  unsigned Posts = 0; ///< statements that fill a queue or the store buffer
  bool Waits = false; ///< has work identifiers: whose completion is whose has to be known
};

struct CompiledProgram {
  const Program *Source = nullptr;
  std::vector<CompiledThread> Threads;
  /// Per queue pair: someone polls its completion queue; its owner has work identifiers.
  std::vector<bool> Polled, Waited;
  /// Per queue pair: several threads take its completions.
  std::vector<bool> Contended;
  std::vector<std::int64_t> Initial;
};

/// May completions of the queue pair turn up in the queue? Where its own is not known, in any.
inline bool reportsTo(const QueuePair &Pair, CompletionQueueId Queue) {
  return Queue != None && (Pair.Queue == Queue || Pair.Queue == None);
}

/// Throws Unsupported for accesses to parts of objects and for values that are not known.
CompiledProgram compile(const Program &P);

} // namespace rdma::explorer
