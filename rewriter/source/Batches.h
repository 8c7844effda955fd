// Requests that are being built by calls, among which no other may be posted. Private to the source library.
#pragma once

#include "rewriter/source/Bodies.h"

namespace rdma::source {

/// Where an ibv_wr_start may have been called, or a function that calls it, with no ibv_wr_complete or
/// ibv_wr_abort behind it. A provider may hold the queue pair's lock from the one to the other.
class Batches {
public:
  Batches(SourceFiles &Files, Bodies &Given) : Files(Files), Given(Given) {}

  struct Begun {
    const clang::Stmt *Start = nullptr; ///< null: nothing is begun
    const EditedFile *In = nullptr;
  };
  /// Behind or in front of the slot's statement. Chain: through which calls its function is reached.
  Begun at(const EditedFile &In, const Slot &At, bool Behind, const std::vector<Place> &Chain);

private:
  struct Done {
    unsigned Phases = 0;
    const clang::Stmt *Start = nullptr;
  };
  const Done &doneAt(const Syntax &S, const clang::FunctionDecl &F, const clang::Stmt *Part, bool Behind);

  SourceFiles &Files;
  Bodies &Given;
  std::map<std::pair<const clang::Stmt *, bool>, Done> Known;
};

} // namespace rdma::source
