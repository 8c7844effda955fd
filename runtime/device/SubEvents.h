// The sub-events of requests as ThreadSanitizer is told of them, and what each of them touches.
#pragma once

#include "runtime/device/Check.h"

#include <infiniband/verbs.h>
#include <span>

namespace rdma::device::check {

/// Empty ones among them.
using Ranges = std::span<const ibv_sge>;

/// A sub-event of a request, in program order: what it touches, and where it was posted.
struct SubEvent {
  EventKind Kind;
  Ranges Touched = {};
  bool NeedsSource = true;    ///< false: of an inline request, nothing of which is left to read
  bool IsFirst = true;        ///< of the request: those that follow are ordered behind it
  Mark *Completion = nullptr; ///< the completion comes behind it
  uint64_t Part = 0;          ///< which of what it touches is told
  bool IsSum = false;         ///< of a fetch-and-add
  void *Program = nullptr;    ///< the task that posts
};

inline Tasks::Task &taskOf(Tasks &Of, EventKind Kind) { return Of.OfKind[static_cast<unsigned>(Kind)]; }

/// The accesses, as if made where the request was posted.
void touch(Tasks &Of, const SubEvent &E, const Stack &At);

} // namespace rdma::device::check
