// What a node shows to its peers: a segment of memory that every connected process maps.
//
// The poster of a request does all the work on the target's side through these tables, with the target's CPU
// elsewhere: it looks the queue pair and the key up, takes posted receives, and puts completions into the
// target's completion queues. Entries are plain data with no pointers but addresses of the owner, which peers
// translate. Every table is sparse memory: an unused entry costs nothing. What posters write, what the owner
// writes, and what it watches stand on different cache lines.
#pragma once

#include "runtime/device/SharedLock.h"

#include <infiniband/verbs.h>

namespace rdma::device {

inline constexpr uint32_t SegmentMagic = 0x52444d45, SegmentVersion = 13;
inline constexpr size_t CacheLine = 64;
inline constexpr uint32_t MaxRegions = 1 << 16;
inline constexpr uint32_t MaxQueuePairs = 1 << 14;
inline constexpr uint32_t MaxCompletionQueues = 1 << 14;
inline constexpr uint32_t MaxReceiveQueues = 1 << 14;
inline constexpr uint64_t MaxMessage = uint64_t(1) << 31; ///< bytes of one request
inline constexpr uint32_t MaxSge = 16, MaxInline = 1024, MaxReadsAtOnce = 16;
inline constexpr uint32_t MaxRequests = 1 << 15; ///< per send or receive queue
inline constexpr uint32_t MaxCompletions = (1 << 22) - 1;
inline constexpr uint64_t HeapSize = uint64_t(1) << 32; ///< sparse room for rings

/// Where a region's bytes are found by a peer.
enum class Backing : uint32_t {
  Window, ///< in the owner's memory window, at the offset of its virtual address (device/Window.h)
  Process ///< only in the owner's address space: the kernel copies
};

/// A memory region, or a window that is bound to a part of one (device/Binding.h). Key is stored last and
/// cleared first; it holds the index and a generation, so that an old key finds nothing.
struct SharedRegion {
  uint32_t Generation = 0; ///< of the owner, for the next key
  std::atomic<uint32_t> Key{0};
  uint32_t Access = 0;
  uint32_t Domain = 0;
  Backing Where = Backing::Process;
  uint64_t Iova = 0;    ///< what peers call the first byte
  uint64_t Address = 0; ///< its address in the owner
  uint64_t Length = 0;
  // Of a window, whose address is one as peers name it in the region.
  uint32_t WindowKey = 0; ///< also when it is not bound
  uint32_t WindowType = 0, WindowDomain = 0;
  uint32_t Of = 0;     ///< the key of the region
  uint32_t Holder = 0; ///< the number of the queue pair whose peer may use it, 0: of all in the domain
};
inline constexpr uint32_t DomainOfWindows = ~uint32_t(0); ///< of no protection domain

/// Whom the events of an object are told (device/EventSources.h): the object's number, 0 for none, and the
/// write end of the pipe of its context as numbered in the owner.
struct SharedEvents {
  uint64_t Source = 0;
  int Fd = -1;
  uint32_t Cookie = 0; ///< tells later pipes of the same number apart
};

struct SharedReceive {
  uint64_t WrId;
  uint32_t SgeCount;
  ibv_sge Sges[MaxSge];
};

/// A process that is connected to this node, or is this node itself (the first): how many times it is using
/// each region now. Deregistration waits for all of them, but for the dead.
struct alignas(4096) SharedVisitor {
  std::atomic<uint32_t> Pid{0}; ///< 0: free
  std::atomic<uint32_t> Uses[MaxRegions];
};
inline constexpr uint32_t MaxVisitors = 4096;

/// A receive that was taken and is not complete yet (device/Taken.h). Position is 0 when the slot is free.
struct SharedTaken {
  std::atomic<uint64_t> Position{0};
  uint64_t WrId = 0;
  uint32_t Queue = 0; ///< index of the receive queue
};
inline constexpr uint32_t MaxTaken = 64; ///< of a queue pair at a time
/// The position of a receive that moved the head to Head.
inline uint64_t takenAt(uint32_t Head) { return uint64_t(1) << 32 | Head; }

/// A receive queue: of one queue pair, or shared. Head and Tail count for ever; the ring has a power of two
/// entries.
struct SharedReceiveQueue {
  SharedLock Lock; ///< for all but posting
  std::atomic<uint32_t> Head{0};
  std::atomic<uint64_t> Taking{0}; ///< offset of the slot that a receive is being taken for
  SharedEvents Events;             ///< none when it is not shared
  /// Of one in an XRC domain: that, and the completion queue, which its queue pairs have not. 0: it is in
  /// none.
  uint32_t XrcDomain = 0, Completions = 0;
  uint32_t Domain = 0;                   ///< of one that is shared: its receives lie in memory of that domain
  uint32_t Limit = 0;                    ///< event below this many, 0: none
  alignas(CacheLine) SharedLock Posting; ///< taken by the owner alone
  std::atomic<uint32_t> Tail{0};
  uint32_t Capacity = 0; ///< entries of the ring
  uint64_t Ring = 0;     ///< offset in the segment
};

struct alignas(CacheLine) SharedCompletion {
  ibv_wc Wc;
  uint64_t Time; ///< when it was put there, if the queue wants to know; nanoseconds
  /// Of a send completion: requests of the queue pair that are finished with it. Of a receive that a message
  /// took: receives of its queue up to that one.
  uint32_t Retired;
  bool IsSend;
  bool Solicited;
  uint16_t Queue; ///< of a receive that came with XRC: of its queue
};
static_assert(sizeof(SharedCompletion) == CacheLine && MaxReceiveQueues <= 1 << 16);

enum class Armed : uint32_t { No, Any, Solicited };

/// A completion queue. Everyone may put, under the lock; only the owner takes.
struct SharedCompletionQueue {
  SharedLock Lock;
  uint32_t HeadSeen = 0;               ///< by posters; the head may have moved on
  uint32_t CompletingTail = 0;         ///< the tail when that is done
  std::atomic<uint64_t> Completing{0}; ///< offset of the slot whose receive is being completed
  std::atomic<Armed> Notify{Armed::No};
  bool WithTime = false;
  int ChannelFd = -1; ///< write end of the completion channel in the owning process
  uint32_t ChannelCookie = 0;
  uint32_t Cookie = 0; ///< tells later queues at the same index apart
  SharedEvents Events;
  // The owner watches these.
  alignas(CacheLine) std::atomic<uint32_t> Tail{0};
  std::atomic<bool> Overrun{false};
  uint32_t Capacity = 0;
  uint64_t Ring = 0;
  alignas(CacheLine) std::atomic<uint32_t> Head{0};
};

/// What the peer of a queue pair posted last, while that is a WRITE of which nobody can know that it has
/// landed, or a sum (device/Underway.h). Version is odd then, and grows with every change.
inline constexpr uint32_t MostFrames = 24;
struct SharedPlace {
  uint64_t Inode, Offset; ///< in the file, which other processes have elsewhere in memory
};
struct SharedUnderway {
  std::atomic<uint32_t> Version{0};
  uint32_t Pid = 0, Key = 0;
  bool IsSum = false;               ///< it is a fetch-and-add that is not carried out yet
  uint64_t Address = 0, Length = 0; ///< in the owner
  uint64_t Stack = 0;               ///< tells the places of a process apart
  uint32_t StackOf = 0, FrameCount = 0;
  SharedPlace Frames[MostFrames] = {}; ///< return addresses, innermost first
};

/// Whether a queue pair in this state takes what its peer sends; in SQE only what it sends itself has
/// stopped.
inline bool isReceiving(uint32_t State) {
  return State == IBV_QPS_RTR || State == IBV_QPS_RTS || State == IBV_QPS_SQD || State == IBV_QPS_SQE;
}

/// A queue pair as its peer sees it. State is an ibv_qp_state.
struct SharedQueuePair {
  uint32_t Generation = 0;         ///< of the owner, for the next number
  std::atomic<uint32_t> Number{0}; ///< 0: free
  std::atomic<uint32_t> State{0};
  std::atomic<bool> IsEstablished{false}; ///< the peer has sent something, since the state RTR
  uint32_t Access = 0;
  uint32_t Domain = 0;
  uint32_t PeerLid = 0, PeerNumber = 0;
  uint32_t ExpectedPsn = 0; ///< the number that its peer's first packet has to have
  uint32_t ReceiveQueue = 0;
  bool UsesShared = false;         ///< the receive queue is shared with other queue pairs
  uint32_t ReceiveCompletions = 0; ///< index of the completion queue
  SharedEvents Events;
  uint32_t Type = 0;                ///< an ibv_qp_type
  uint32_t XrcDomain = 0;           ///< whose receive queues its requests name; 0: they name none
  uint32_t RnrTimer = 0;            ///< what it asks its peer to wait when no receive is posted
  uint32_t Mtu = 0;                 ///< an ibv_mtu
  uint32_t Qkey = 0;                ///< of datagrams
  std::atomic<uint32_t> Posters{0}; ///< of datagrams, at work here
  SharedLock Delivering;            ///< of datagrams: receives complete in their order
  SharedReceive Begun;              ///< of datagrams: the receive that was taken last
  /// The process of its peer, while that is at work on memory of the owner (device/Presence.h); else 0.
  alignas(CacheLine) std::atomic<uint32_t> Present{0};
  alignas(CacheLine) SharedTaken Taken[MaxTaken];
  SharedUnderway Underway;
};

/// A write that was acknowledged to its sender and has not reached memory yet (device/Inbound.h): everything
/// that it takes to carry it out without the sender.
struct SharedArrival {
  bool Done = false;
  uint32_t Pid = 0, Lid = 0, Number = 0; ///< of the sender: its process, node and queue pair
  uint32_t TargetNumber = 0;             ///< of the queue pair here
  ibv_wr_opcode Opcode = IBV_WR_RDMA_WRITE;
  unsigned Flags = 0;
  uint32_t Imm = 0;
  uint64_t MessageLength = 0;          ///< of the whole request
  uint32_t Key = 0, Domain = 0;        ///< of the remote range; no key: it writes no range
  uint64_t Address = 0, Length = 0;    ///< the range
  uint64_t DataBegin = 0, DataEnd = 0; ///< its bytes, counted for ever in the ring of bytes
  uint64_t Slot = 0;                   ///< offset of the taken receive that it completes, 0: none
  SharedReceive Receive = {};          ///< that receive
};
inline constexpr uint64_t MaxArrivals = 1024, InboundRoom = uint64_t(1) << 24;

/// The acknowledged writes of a node that have not reached its memory, in the order of acknowledgement. Head
/// and Tail count for ever; an entry before Tail is valid, whoever dies when.
struct SharedInbound {
  SharedLock Lock;
  std::atomic<uint64_t> Head{0}, Tail{0};
  SharedArrival Ring[MaxArrivals];
  alignas(CacheLine) char Bytes[InboundRoom];
};

/// A queue pair that is attached to a multicast group (device/Multicast.h). Number is stored last.
struct SharedMember {
  std::atomic<uint32_t> Number{0}; ///< 0: free
  ibv_gid Group = {};
};
inline constexpr uint32_t MaxMembers = 4096;

struct SharedSegment {
  uint32_t Magic, Version;
  uint32_t Pid, Lid;
  int WindowFd;                ///< the memory window, as numbered in the owner
  std::atomic<uint32_t> Alive; ///< cleared at an orderly exit
  bool MakesBarriers;          ///< before it looks who is present
  /// Remote atomics on this node are atomic among themselves.
  alignas(CacheLine) SharedLock AtomicsLock;
  alignas(CacheLine) SharedInbound Inbound;
  std::atomic<uint32_t> QueuePairsEnd; ///< no entry from this on was ever used
  alignas(CacheLine) SharedQueuePair QueuePairs[MaxQueuePairs];
  SharedCompletionQueue CompletionQueues[MaxCompletionQueues];
  SharedReceiveQueue ReceiveQueues[MaxReceiveQueues];
  SharedRegion Regions[MaxRegions];
  std::atomic<uint32_t> MembersEnd; ///< no entry from this on was ever used
  SharedMember Members[MaxMembers];
  SharedLock VisitorsLock;
  std::atomic<uint32_t> VisitorsEnd; ///< no entry from this on was ever used
  SharedVisitor Visitors[MaxVisitors];
  alignas(4096) char Heap[HeapSize];

  template <typename T> T *at(uint64_t Offset) {
    return reinterpret_cast<T *>(reinterpret_cast<char *>(this) + Offset);
  }
  uint64_t offsetOf(const void *At) const {
    return static_cast<uint64_t>(static_cast<const char *>(At) - reinterpret_cast<const char *>(this));
  }
};

/// Numbers of queue pairs carry a generation above the index, keys below: in their lowest byte, which the
/// program chooses when it binds a window (ibv_inc_rkey), no two may differ that are valid at one time.
inline constexpr uint32_t QueuePairIndexBits = 14, GenerationBits = 16;
inline uint32_t queuePairIndex(uint32_t Number) { return Number & (MaxQueuePairs - 1); }
inline uint32_t regionIndex(uint32_t Key) { return Key >> GenerationBits; }

} // namespace rdma::device
