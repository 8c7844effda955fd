// Threads that threads of a process start, and those that they wait for.
//
// A start is a store to a location of its own, which the started thread waits for; its end is another, which
// a join waits for. So the order that they make is ordinary program text, to the conditions and to the
// explorer: `choose { assume(ended == 1); } or { assume(started == 0); }` where a start may not have been
// come by.
#pragma once

#include "analyzer/clang/counts/Sites.h"
#include "analyzer/clang/program/Inventory.h"
#include "analyzer/clang/program/Remarks.h"
#include "analyzer/clang/translate/JoinedArrays.h"
#include "analyzer/clang/translate/JoinedRanges.h"

namespace rdma::clang_ir {

/// A thread that this one starts.
struct Spawn {
  const llvm::CallBase *Call;
  llvm::Function *Routine;
  PointerSet Argument;
  PointerSet Handle; ///< the pthread_t or std::thread
  /// The function that a std::thread's state holds a pointer to, if it does.
  const llvm::Function *Callee = nullptr;
  const llvm::DILocation *At = nullptr; ///< in the program's own text
  bool Repeated = false;
  std::string Name = {}, Key = {}; ///< of the routine; of the place
  ObjectId Started = None;
  std::vector<ObjectId> Ended = {}; ///< of each copy
  /// A thread started in a loop, or by several copies of one call, is three of its kind, as copies of a node
  /// are (Inventory): what two of them tell each other may go through a third that does something else.
  unsigned copies() const { return Repeated ? 3 : 1; }
};

struct JoinSite {
  /// The call; of the other kinds, the end of the variable's life, and what ends a block.
  const llvm::Instruction *Place;
  StatementId At;    ///< a Nop, until it is known whom it waits for
  PointerSet Handle; ///< where the handle is read; empty: not known
  enum class Kind {
    Call,
    End,    ///< of a std::thread: one that has not been joined ends the program
    Absent, ///< where a std::thread is seen to have none
    Range,  ///< the way out of a loop that has joined all of a vector
    Array,  ///< or of an array
    Left    ///< any way out of a loop with calls
  } What = Kind::Call;
  int Successor = -1;    ///< of all but calls and ends: the way out of the block
  std::size_t Which = 0; ///< of the thread's ranges, or arrays
};

struct ThreadsOf {
  CountedThread *By;
  std::vector<Spawn> Started;
  std::vector<JoinSite> Joined;
  std::vector<JoinedRange> Ranges;
  std::vector<JoinedArray> Arrays;
};

/// Waits for a flag that another thread sets.
Operation heard(ObjectId Flag);

/// A join hears the end of the thread that it waits for. One that may wait for any of several reads that they
/// have ended: it waits for none of them for certain, and may have waited for each.
void matchJoins(llvm::ArrayRef<ThreadsOf> Process, Inventory &Stock, RemarkLog &Log);

} // namespace rdma::clang_ir
