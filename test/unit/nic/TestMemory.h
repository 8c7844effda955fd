// A memory of integers for the NIC rules: cells 0 to 9 are local, the rest remote.
#pragma once

#include "runtime/nic/Apply.h"

#include <array>

namespace rdma::nic {

struct Request {
  unsigned Local = 0, Remote = 0;
  int Value = 0, Expected = 0, Desired = 0;
  bool operator==(const Request &) const = default;
};

using Queues = QueuePairQueues<Request>;

struct TestMemory {
  std::array<int, 20> Cells = {};
  bool Locked = false;

  void readLocal(Request &R) { R.Value = Cells[R.Local]; }
  void readRemote(Request &R) { R.Value = Cells[R.Remote]; }
  void writeLocal(const Request &R) { Cells[R.Local] = R.Value; }
  void writeRemote(const Request &R) { Cells[R.Remote] = R.Value; }
  std::optional<Request> readAtomic(Request &R) {
    R.Value = Cells[R.Remote];
    if (R.Value != R.Expected)
      return std::nullopt;
    Request Write = R;
    Write.Value = R.Desired;
    return Write;
  }
  bool tryLock(const Request &) { return !std::exchange(Locked, true); }
  void unlock(const Request &) { Locked = false; }
};

} // namespace rdma::nic
