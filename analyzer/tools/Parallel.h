// Work on the programs of a database, several at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace rdma {

/// Calls Work with each number below Count, Threads of them at a time, in their order. Work throws nothing.
template <typename WorkOnOne> void inParallel(unsigned Threads, std::size_t Count, WorkOnOne Work) {
  std::atomic<std::size_t> Next = 0;
  auto Run = [&] {
    for (std::size_t I; (I = Next++) < Count;)
      Work(I);
  };
  std::vector<std::thread> Workers;
  for (std::size_t I = 1; I < std::min<std::size_t>(Threads, Count); ++I)
    Workers.emplace_back(Run);
  Run();
  for (std::thread &Worker : Workers)
    Worker.join();
}

} // namespace rdma
