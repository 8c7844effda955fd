// A node of the fabric: one device of this process.
//
// A process has one by default and RDMA_NODES on request, each with tables, keys and numbers of its own; they
// differ from nodes of other processes only in that this process reaches their memory without mapping it.
// A node is a name in the abstract socket name space, of user, fabric and local identifier (LID). Holding the
// name is the membership: the kernel gives it back when the process ends, however it ends, and nothing is
// left behind. Peers find the process through the name and its shared segment among its open files; no thread
// of the node takes part.
#pragma once

#include "runtime/device/Peer.h"
#include "runtime/device/Settings.h"
#include "runtime/device/Window.h"

#include <deque>
#include <map>
#include <poll.h>
#include <vector>

namespace rdma::device {

struct CompletionQueue;
struct QueuePair;
struct SharedReceives;

/// Gives out the indices of a table, lowest first after use of all.
/// One that was given back rests for a while, lest an old number find a new object; not for ever, for
/// peers keep something of each index that was ever used.
class IndexPool {
public:
  explicit IndexPool(uint32_t Size) : Size(Size) {}
  static constexpr uint32_t Full = ~uint32_t(0);
  uint32_t take();
  void giveBack(uint32_t Index);
  /// No index from this on was ever taken.
  uint32_t end();

private:
  std::mutex Lock;
  uint32_t Size, Next = 1;       ///< index 0 stays unused: a zero key or number is never valid
  std::deque<uint32_t> Returned; ///< in that order
};

class Node {
public:
  /// The node of this device of the process; joins the fabric on the first call. Throws std::system_error.
  static Node &of(unsigned Device);
  /// The same, when it has joined; else null.
  static Node *joined(unsigned Device);
  template <typename Visitor> static void forEach(Visitor Visit) {
    for (unsigned I = 0; I < MaxNodes; ++I)
      if (Node *N = joined(I))
        Visit(*N);
  }

  SharedSegment &segment() { return *Segment; }
  Window &window() { return Memory; }
  uint32_t lid() const { return Segment->Lid; }

  /// The LIDs of all nodes of the fabric that there are now, this one among them.
  std::vector<uint32_t> everyLid() const;
  /// The node with this LID, or null when there is none now.
  std::shared_ptr<Peer> peer(uint32_t Lid);
  Peer &own() { return *Self; }

  /// For the thread that serves peers of other PID namespaces: what to wait for, and to look what there is.
  void appendCallers(std::vector<pollfd> &To);
  void admitCallers();

  /// Room in the segment, in powers of two; the offset from its beginning, 0 when there is none.
  uint64_t allocate(uint64_t Size);
  void release(uint64_t Offset, uint64_t Size);

  IndexPool Regions{MaxRegions}, QueuePairs{MaxQueuePairs}, Completions{MaxCompletionQueues},
      Receives{MaxReceiveQueues};
  std::atomic<uint32_t> NextDomain{1}, NextCookie{1};
  std::atomic<uint32_t> Windows{0}; ///< memory windows that there are

  /// The objects behind the indices, for completions and events to find them.
  std::atomic<QueuePair *> LocalQueuePairs[MaxQueuePairs] = {};
  void forgetQueuePair(uint32_t Index);
  /// Takes the lock of each queue pair in turn: what was being carried out when this was called is done.
  void passThroughQueuePairs();
  template <typename Visitor> void forEachQueuePair(Visitor Visit) {
    std::lock_guard Guard(QueuePairsStay);
    for (uint32_t I = 0, End = QueuePairs.end(); I < End; ++I)
      if (QueuePair *Q = LocalQueuePairs[I])
        Visit(*Q);
  }
  std::atomic<CompletionQueue *> LocalCompletions[MaxCompletionQueues] = {};
  std::atomic<SharedReceives *> LocalReceives[MaxReceiveQueues] = {}; ///< shared ones

  /// The next key of an entry of the table of regions; of a window the lowest byte is the program's.
  uint32_t nextKey(uint32_t Region);
  uint32_t nextWindowKey(uint32_t Region);

  /// Where the generations of keys and numbers begin: a key of one node says nothing to another.
  uint32_t firstGeneration() const { return FirstGeneration; }

private:
  Node();
  void createSegment(const std::string &Name);
  static void beforeFork();
  static void afterForkInParent();
  static void afterForkInChild();

  int Membership = -1, SegmentFile = -1;
  SharedSegment *Segment = nullptr;
  uint32_t FirstGeneration = 0;
  Window &Memory;
  std::shared_ptr<Peer> Self;
  std::vector<pollfd> Callers; ///< connections of peers
  std::mutex CallersLock;      ///< never held while a peer is waited for
  std::mutex QueuePairsStay;   ///< while somebody walks through them
  std::mutex Lock;
  std::map<uint32_t, std::weak_ptr<Peer>> Peers;
  uint64_t HeapNext = 0;
  std::map<uint64_t, std::vector<uint64_t>> HeapFree;
};

} // namespace rdma::device
