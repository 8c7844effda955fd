// The queues of one queue pair: SYNC App. D.1, Fig. 20 (hardware domains).
//
// A NIC works on three first-in first-out queues per queue pair: operations in progress (Pipe), writes on
// their way to remote memory (ToRemote, the paper's wbR), and writes on their way to local memory together
// with completions (ToLocal, wbL). The payload is whatever the owner of the memory needs to perform the
// accesses: integers in an explorer, scatter-gather lists and bytes in an emulated device.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rdma::nic {

/// What an entry of a queue stands for. An operation changes its kind as it goes.
enum class EntryKind : std::uint8_t {
  Put,          ///< its source is still to be read
  PutValue,     ///< its value is still to be written; a put with inline data is posted like this
  Ack,          ///< a put whose value is on its way, waiting to become a completion
  Get,          ///< remote memory is still to be read
  LocalWrite,   ///< a get or remote atomic whose result is still to be written
  Atomic,       ///< a remote atomic that has not read yet
  AtomicWrite,  ///< the write of a successful remote atomic
  Fence,        ///< remote fence: waits for everything older
  RequestFence, ///< what a `fenced` request puts before itself: waits for older gets and remote atomics
  Completion    ///< in ToLocal: something to poll
};

template <class Payload> struct Entry {
  EntryKind Kind;
  bool Signaled = true; ///< leaves a completion
  Payload Data = {};
  bool operator==(const Entry &) const = default;
};

/// Front is the oldest entry of each queue.
template <class Payload> struct QueuePairQueues {
  using EntryType = Entry<Payload>;
  std::vector<EntryType> Pipe, ToRemote, ToLocal;

  bool empty() const { return Pipe.empty() && ToRemote.empty() && ToLocal.empty(); }
  /// Nothing is left to do but polling.
  bool quiet() const {
    for (const EntryType &E : ToLocal)
      if (E.Kind != EntryKind::Completion)
        return false;
    return Pipe.empty() && ToRemote.empty();
  }
  /// A request enters the pipe. Fenced: nothing of it or behind it starts before older gets and remote
  /// atomics have left the pipe.
  void post(EntryType E, bool Fenced = false) {
    if (Fenced)
      Pipe.push_back({EntryKind::RequestFence, false, {}});
    Pipe.push_back(std::move(E));
  }
  /// Takes the oldest completion, when nothing older is left in ToLocal.
  std::optional<Payload> poll() {
    if (ToLocal.empty() || ToLocal.front().Kind != EntryKind::Completion)
      return std::nullopt;
    std::optional<Payload> Done = std::move(ToLocal.front().Data);
    ToLocal.erase(ToLocal.begin());
    return Done;
  }
  bool operator==(const QueuePairQueues &) const = default;
};

} // namespace rdma::nic
