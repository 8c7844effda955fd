// What the links of a process share: the device, completion queues, a pool of receives.
#pragma once

#include "test/load/Payload.h"
#include "test/unit/runtime/Verbs.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace rdma::load {

inline constexpr uint32_t Depth = 64; ///< requests of a link that are not complete yet

/// One line that says what went wrong, and the end of the process with status 1.
[[noreturn]] void wrong(const std::string &What);
/// Says who this process is in such lines.
void setName(const std::string &Name);

/// A completion queue; polled and handled by one thread at a time, so that completions are seen in order.
struct Queue {
  ibv_cq *Cq = nullptr;
  ibv_comp_channel *Channel = nullptr;
  std::mutex Handling;
  std::atomic<unsigned> Events{0};

  Queue(const test::Device &D, bool Announced);
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;
  /// Sleeps until a completion is announced or some milliseconds are over. False when there is one already.
  void rest(int Milliseconds);
};

/// Whether a completion, good or bad, is of a receive: their numbers have the highest bit.
inline constexpr uint64_t ReceiveBit = uint64_t(1) << 63;
inline bool isReceive(const ibv_wc &Wc) { return Wc.wr_id & ReceiveBit; }

/// Receives that wait in a receive queue: of one queue pair, or shared.
class ReceivePool {
public:
  ReceivePool(const test::Device &D, uint32_t Count, bool Shared);
  ~ReceivePool();
  ReceivePool(const ReceivePool &) = delete;
  ReceivePool &operator=(const ReceivePool &) = delete;
  uint32_t size() const { return static_cast<uint32_t>(Posted.size()); }
  ibv_srq *shared() const { return Srq; }
  void attach(ibv_qp *To) { Qp = To; }

  void postAll();
  void post(uint64_t Index);
  /// The receive has completed: its message. Complains when it was not posted, or comes out of turn.
  const char *take(const ibv_wc &Wc);
  void post(const ibv_wc &Taken) { post(Taken.wr_id & ~ReceiveBit); }
  uint32_t posted() const { return Waiting; }
  bool isShared() const { return Srq != nullptr; }

private:
  std::unique_ptr<char[]> Memory;
  ibv_mr *Region;
  ibv_srq *Srq = nullptr;
  ibv_qp *Qp = nullptr;
  std::vector<std::atomic<bool>> Posted;
  std::atomic<uint32_t> Waiting{0};
  uint64_t Next = 0; ///< who completes next, when the queue is not shared
};

/// What every peer of a process counts in.
struct Common {
  alignas(8) uint64_t Added = 0;
  alignas(8) uint64_t Swapped = 0;
};

struct Host {
  Host();
  ~Host();
  Host(const Host &) = delete;
  Host &operator=(const Host &) = delete;
  test::Device Device;
  std::unique_ptr<Common> Counters;
  ibv_mr *CountersRegion;
};

} // namespace rdma::load
