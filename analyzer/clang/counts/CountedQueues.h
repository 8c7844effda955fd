// The completion queues that a thread posts to: which are counted, and what it does with each alone.
#pragma once

#include "analyzer/clang/counts/System.h"
#include "analyzer/clang/program/Inventory.h"

namespace rdma::clang_ir {

/// The queues that the thread's posts report to.
std::vector<QueueFacts> queuesOf(const Inventory &Stock, const CountedThread &T);

/// What the thread does with each of its queues alone: of posts and polls elsewhere nothing is known there,
/// and most programs count what is out of each queue by itself.
std::vector<CountedThread> partsOf(const Inventory &Stock, const CountedThread &T);

/// Does it post what is not among its posts, or to a queue pair that is not known? Completions could come
/// from there that nobody counts.
bool postsUnseen(const CountedThread &T);

} // namespace rdma::clang_ir
