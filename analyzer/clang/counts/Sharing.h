// Counters that one thread reads and others change: which of them say how many completions were taken.
#pragma once

#include "analyzer/clang/counts/System.h"
#include "analyzer/clang/program/Inventory.h"

#include <ctime>
#include <deque>

namespace rdma::clang_ir {

class Sharing {
public:
  /// Until: by the process's own clock; what is not proved until then is not shared.
  Sharing(Inventory &Stock, const std::deque<CountedThread> &Threads, std::clock_t Until)
      : Stock(Stock), P(Stock.P), Threads(Threads), Until(Until) {}

  /// The counters that T reads, and that all others change only by completions that they have taken from one
  /// of these queues.
  std::vector<SharedCounter> readBy(const CountedThread &T, const std::vector<QueueFacts> &Queues);
  /// May the bytes be written by others than the CPU of T?
  Cells::Foreign writtenBeside(const CountedThread &T);

private:
  using Writes = std::vector<const llvm::AtomicRMWInst *>;
  struct Writer {
    const CountedThread *By;
    Writes All;
  };
  std::optional<std::vector<Writer>> writers(const CountedThread &T, const Pointer &At, std::int64_t Size);
  std::optional<int> direction(const Writer &W, const SharedCounter &Counter, const std::string &Queue);
  bool beginsAtInitial(const CountedThread &T, const Pointer &At, const std::vector<Writer> &Others);

  Inventory &Stock;
  Program &P;
  const std::deque<CountedThread> &Threads;
  std::clock_t Until;
  std::map<std::tuple<const CountedThread *, const Origin *, std::int64_t, std::string>, std::optional<int>>
      Directions;
};

} // namespace rdma::clang_ir
