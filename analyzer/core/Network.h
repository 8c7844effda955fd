// Which nodes communicate: a thread of one has a put, get or remote atomic towards the other.
#pragma once

#include "analyzer/core/Analysis.h"

#include <set>

namespace rdma {

/// A queue pair in use: the thread and the node at the other end.
struct Link {
  ThreadIndex Thread;
  NodeId From, To;
  EventRef First; ///< the first event on it
};

/// Every link in use, or only those with an event on a public location.
std::vector<Link> links(const Analysis &A, bool PublicOnly);

/// Per node a number that connected nodes share; links of thread Without are left out.
std::vector<unsigned> components(const Analysis &A, const std::vector<Link> &Links, ThreadIndex Without);

/// Does the node stand for any number of nodes, so that its memory is that of each of them? Of a kind of
/// which there is any number the program has two nodes: the one under examination, and one for all the
/// others, to which therefore also their own queue pairs may lead.
bool standsForMany(const Program &P, NodeId N);

} // namespace rdma
