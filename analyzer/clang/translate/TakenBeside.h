// Completions that another thread takes.
//
// A poll tells more than the thread that posted: whoever finds a completion knows that the request was
// posted, and what that thread's CPU did before. So it carries order as a flag does. Behind such a post a
// thread has one more way: the request is complete, a flag says so, and there the way ends; the poll reads
// the flag. The flag orders nothing for certain; a poll that finds nothing reads it, too.
#pragma once

#include "analyzer/clang/translate/SharedQueues.h"

namespace rdma::clang_ir {

/// What a thread of the process reads that hears of a completion, whichever it is.
ObjectId newsOfCompletions(Inventory &Stock, NodeId Home);

void tellOfCompletions(Inventory &Stock, const std::deque<CountedThread> &Threads, const Unshared &Shared);

} // namespace rdma::clang_ir
