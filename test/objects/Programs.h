// A program on several objects at once, as somebody would write it: it makes its objects, and each thread of
// each node runs it.
#pragma once

#include "rdma/objects/barrier.h"
#include "test/objects/Group.h"

namespace rdma::objects::test {

/// A scenario of a class that is made of a manager and has run(manager, index).
template <class Program> struct add_program : add {
  explicit add_program(const char *Name)
      : add(Name, std::function<void(member &)>([](member &M) {
              manager Here(M.Hosts, M.Me, M.settings());
              Program Running(Here);
              Here.wait_for_ready(std::chrono::seconds(60));
              inThreads(Here, [&](unsigned Index) { Running.run(Here, Index); });
            })) {}
};

} // namespace rdma::objects::test
