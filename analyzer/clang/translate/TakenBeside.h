// Completions that another thread takes.
//
// A poll tells more than the thread that posted: whoever finds a completion knows that the request was
// posted, and what that thread's CPU did before. So it carries order as a flag does (Inventory::news), which
// each poll and each wait for an event reads. Behind a post whose completion they may find, a thread has one
// more way for each poll that may take it: the request is complete, the flags of the poll and of the events
// say so, and there the way ends. The flags order nothing for certain. A call of rdma/order.h hears nothing:
// it ends when its own request has, posted or not what others post.
#pragma once

#include "analyzer/clang/translate/SharedQueues.h"

namespace rdma::clang_ir {

void tellOfCompletions(Inventory &Stock, const std::deque<CountedThread> &Threads, const Unshared &Shared);

} // namespace rdma::clang_ir
