// Queue pairs that several threads post to.
//
// The orders know a queue pair by its thread, as the papers do. In truth there is one queue: a request that
// is posted when an earlier one is known to have been goes after it, whoever posts the two, and a READ pushes
// into memory what others have written. This decides nothing about order; it tells pairs that are open only
// if that is not so.
#pragma once

#include "ir/Program.h"

namespace rdma {

/// The same program for whoever asks what other threads see of the requests of this one on a queue pair: they
/// post nothing to it themselves, and do nothing behind their polls for what they read through it.
Program postedInOrder(const Program &P, ThreadIndex Asking, unsigned Shared);

} // namespace rdma
