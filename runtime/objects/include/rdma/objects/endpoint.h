// A thread's way to all nodes: one reliable queue pair for each, its own node included, and one completion
// queue.
//
// All operations of an endpoint towards one node share a queue pair; every order that an object relies on is
// by this queue. An endpoint is used by one thread at a time.
#pragma once

#include "rdma/objects/ack.h"
#include "rdma/objects/memory.h"

#include <infiniband/verbs.h>
#include <vector>

struct rdma_cm_id;

namespace rdma::objects {

class manager;

/// Request behind earlier gets and remote atomics of the queue pair: IBV_SEND_FENCE, the papers' remote
/// fence.
inline constexpr unsigned fenced = IBV_SEND_FENCE;
/// The CPU reads the source while it posts; at most inline_limit bytes.
inline constexpr unsigned inlined = IBV_SEND_INLINE;
inline constexpr std::size_t inline_limit = 128;

class endpoint {
public:
  explicit endpoint(manager &Manager);
  endpoint(const endpoint &) = delete;
  endpoint &operator=(const endpoint &) = delete;
  ~endpoint();

  // Operations. From and Into lie in the manager's arena, unless inlined; with an ack, it can be waited for.
  // peer_lost when the queue pair has failed, earlier or now, or any node is lost. An operation on memory
  // that is not there fails its queue pair, and with it the membership (manager::why): no size is looked at
  // here.
  status put(const remote &To, const void *From, std::size_t Size, ack *Done = nullptr, unsigned Flags = 0);
  status put_word(const remote &To, word Value, ack *Done = nullptr, unsigned Flags = 0); ///< inlined
  status get(void *Into, const remote &From, std::size_t Size, ack &Done, unsigned Flags = 0);
  status fetch_add(word *Into, const remote &To, word By, ack &Done, unsigned Flags = 0);
  /// Into receives what was there; it took place when that is Expected.
  status compare_exchange(word *Into, const remote &To, word Expected, word Desired, ack &Done,
                          unsigned Flags = 0);

  // The same, waited for.
  status load(word &Value, const remote &From);
  status fetch_add(word &Old, const remote &To, word By);
  status compare_exchange(word &Expected, const remote &To, word Desired, bool &Done);

  status wait(ack &Ack);
  /// Takes completions that are there. False when there were none.
  bool poll();

  /// LOCO's global fence: everything this endpoint did towards these nodes is in memory, results are
  /// delivered, and the CPU's stores are out. Skips nodes to which nothing was posted since the last one.
  /// (Stamp aGF.)
  status fence(node_set Nodes);

  /// Words of this endpoint in the arena, for results that its user waits for at once.
  word *slot(unsigned Index) { return Slots + Index; }
  static constexpr unsigned slots = 16, first_free_slot = 2;

  manager &owner() { return Manager; }

private:
  friend class manager;
  /// A request's identifier is its place in Acks: those of its queue pair, by the last bits of its sequence
  /// number.
  struct alignas(line_size) queue {
    ibv_qp *Qp = nullptr;
    std::uint64_t Posted = 0; ///< a sequence number, as all that follow
    std::uint64_t Limit = 0;  ///< up to there can be posted; 0: the queue pair has failed
    std::uint64_t Fenced = 0;
    std::uint64_t Places = 0; ///< where its places in Acks begin
    rdma_cm_id *Id = nullptr;

    bool broken() const { return !Limit; }
  };
  static constexpr unsigned MostAtOnce = 8; ///< completions of one poll

  status transfer(ibv_wr_opcode Opcode, const remote &At, const void *Local, std::size_t Size, ack *Done,
                  unsigned Flags);
  status atomic(ibv_wr_opcode Opcode, word *Into, const remote &At, word CompareAdd, word Swap, ack &Done,
                unsigned Flags);
  status post(const remote &At, ibv_send_wr &Request, const void *Local, std::size_t Size, ack *Done,
              unsigned Flags);
  int takeCompletions(unsigned Most);
  void handle(const ibv_wc &Completion);
  status makeRoom(queue &Q);
  void abandon(queue &Q);
  [[gnu::cold]] status refused(queue &Q, std::size_t Size, unsigned Flags);
  void fail(queue &Q, const char *Mistake); ///< null: the node is gone
  void restNowAndThen(unsigned EmptyPolls);
  void giveUp();
  region takeWords();
  void release();

  manager &Manager;
  ibv_cq *Cq = nullptr;
  std::vector<queue> Queues;
  std::vector<ack *> Acks; ///< of the operations under way, nothing for those without
  bool HasGivenUp = false;
  std::uint32_t Depth;
  std::uint32_t PlaceBits; ///< of a queue pair in Acks
  std::uint64_t PlaceMask;
  std::uint64_t SignaledMask; ///< operations whose numbers have none of these bits are signaled in any case
  std::uint32_t Lkey;         ///< of the arena
  region Words;
  word *Slots;   ///< slot 0: results of waited operations; slot 1 and on: what their users agree on
  word *Landing; ///< where the gets of fence land
};

} // namespace rdma::objects
