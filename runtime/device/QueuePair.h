// A queue pair: its states and its send queue.
//
// A posted request is checked and then carried out by the poster's thread. When it cannot be yet (the peer is
// not ready, no receive is posted) it waits in Pending with everything behind it, and the service thread and
// later calls try again.
#pragma once

#include "runtime/device/Check.h"
#include "runtime/device/Completions.h"
#include "runtime/device/OwnerLock.h"
#include "runtime/device/Presence.h"
#include "runtime/device/Service.h"
#include "runtime/nic/Queues.h"

#include <deque>
#include <optional>

namespace rdma::device {

struct Handle;
struct XrcDomain;

/// Later: something of this process stands in the way for a moment.
enum class Outcome { Done, Failed, NotReady, PeerGone, NoReceive, Later };

/// A posted send request, kept as long as it needs.
struct Request {
  uint64_t WrId = 0;
  ibv_wr_opcode Opcode = IBV_WR_RDMA_WRITE;
  unsigned Flags = 0;
  uint32_t Imm = 0;
  uint32_t SgeCount = 0;
  ibv_sge Sges[MaxSge];
  uint64_t RemoteAddr = 0;
  uint32_t Rkey = 0;
  uint64_t CompareAdd = 0, Swap = 0;   ///< also of what binds (device/Binding.h)
  std::shared_ptr<Handle> To;          ///< of a datagram: its address,
  uint32_t RemoteNumber = 0, Qkey = 0; ///< queue pair and key there; with XRC the receive queue
  uint64_t Length = 0;                 ///< sum of the scatter-gather list
  std::vector<char> Inline;            ///< inline data, when the request outlives its post
  bool Signaled = false;
  uint32_t Position = 0; ///< requests posted on the queue pair up to and with this one
  ibv_wc_status Failure = IBV_WC_SUCCESS;
  bool Reported = false;            ///< its completion with an error is in the queue
  bool Received = false;            ///< its message has been given to the receiver
  Clock::time_point ReadyAt{};      ///< not before, for a link delay; zero: at once
  Outcome WaitsFor = Outcome::Done; ///< what it waits for to change
  Clock::time_point Deadline{};     ///< when to give up waiting for that
};

struct Result {
  Outcome What = Outcome::Done;
  ibv_wc_status Status = IBV_WC_SUCCESS;
};
/// The status of a request that failed, or has waited too long.
ibv_wc_status failureOf(Result Last);

inline bool isAtomic(ibv_wr_opcode Opcode) {
  return Opcode == IBV_WR_ATOMIC_CMP_AND_SWP || Opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}
inline bool isSum(ibv_wr_opcode Opcode) { return Opcode == IBV_WR_ATOMIC_FETCH_AND_ADD; }
inline bool isSend(ibv_wr_opcode Opcode) {
  return Opcode == IBV_WR_SEND || Opcode == IBV_WR_SEND_WITH_IMM || Opcode == IBV_WR_SEND_WITH_INV;
}
inline bool isPut(ibv_wr_opcode Opcode) { return Opcode != IBV_WR_RDMA_READ && !isAtomic(Opcode); }

struct QueuePair;

/// Moves the waiting requests of a queue pair on.
struct QueuePairAttendant final : Attendant {
  explicit QueuePairAttendant(QueuePair &Qp) : Qp(Qp) {}
  std::optional<std::chrono::nanoseconds> progress() override;
  QueuePair &Qp;
};

struct Piece;
struct RequestBatch;

struct QueuePair {
  explicit QueuePair(Node &Home);
  ~QueuePair();

  ibv_qp_ex Base = {}; ///< begins with the ibv_qp
  SharedQueuePair *Shared = nullptr;
  ibv_qp_init_attr Init = {};
  ibv_qp_attr Attr = {};
  Node &Home;
  uint32_t Domain = 0;
  bool AnnouncesDrained = false; ///< when what has begun is done, in the state SQD
  bool SkipsItself = false;      ///< gets no copy of what it sends to a group
  XrcDomain *Xrc = nullptr;      ///< for whose queues it receives
  uint32_t Opened = 1;           ///< how often it was, with its creation
  CompletionQueue *SendCompletions = nullptr, *ReceiveCompletions = nullptr; ///< null: it has none, with XRC

  OwnerLock OwnLock;
  OwnerLock &Lock; ///< of the send queue
  QueuePairAttendant Waiting{*this};
  std::shared_ptr<Peer> Target;
  uint32_t FirstPsn = 0;              ///< number of its first packet, where the target looks at it
  std::optional<Presence> Announcing; ///< while a message of the strong schedule has no completion yet
  Clock::time_point GoneAt{};         ///< when a request first found the peer gone; zero: it has not
  std::deque<Request> Pending;
  std::atomic<bool> IsDelayed{
      false};               ///< requests of it may wait for their time: it was noted (device/Link.h)
  bool TakenIsLeft = false; ///< receives that the peer took: in error, until they are complete or it is gone
  bool LastIsDue = false;   ///< the event that no more receives complete
  uint32_t Posted = 0, PostCalls = 0;
  std::unique_ptr<nic::QueuePairQueues<Piece>> Weak; ///< under the weak schedule
  uint64_t Due = 0;                                  ///< tick of its next step there
  uint64_t Stream = 0;     ///< which of the queue pairs of the process it is, for the choices made there
  uint64_t Epoch = 0;      ///< the run that it was last used in
  uint32_t FirstOfRun = 0; ///< position of its first request in that run
  uint32_t Turns = 0;      ///< in vain, since its last step
  std::atomic<uint32_t> Retired{0}; ///< requests whose room in the send queue is free again

  std::unique_ptr<check::Tasks> Checked, CheckedReceives; ///< when the run is checked
  std::atomic<uint32_t> ReceivesTaken{0};                 ///< completions of them, by the program
  uint32_t FirstReceive = 0;                              ///< where its receive queue stood when it was reset
  std::unique_ptr<RequestBatch> Batch; ///< of the ibv_wr_* calls, when it was created for them

  static QueuePair *of(ibv_qp *Qp) { return reinterpret_cast<QueuePair *>(Qp); }
  ibv_qp *qp() { return &Base.qp_base; }
  uint32_t number() const { return Base.qp_base.qp_num; }
  /// Not so: what the other side does not take is lost, and the sender does not learn of it.
  bool isReliable() const { return Base.qp_base.qp_type != IBV_QPT_UC && !isDatagram(); }
  bool isDatagram() const { return Base.qp_base.qp_type == IBV_QPT_UD; }
  ibv_qp_state state() const { return static_cast<ibv_qp_state>(Shared->State.load()); }

  /// Posts a list; errors are errno values as in ibv_post_send(3).
  int post(ibv_send_wr *List, ibv_send_wr **Bad);
  /// Posts all of them, or none.
  int post(std::vector<Request> &All);
  /// Tries what waits. How long until it is worth trying again, nothing when nothing waits.
  std::optional<std::chrono::nanoseconds> progress();

  /// Puts the completion of a request, if it has one.
  void complete(const Request &R, ibv_wc_status Status);
  /// Whether nothing that has begun is under way.
  bool isDrained() const;
  /// Tells of that who asked for it.
  void announceDrained();
  /// The error state: what was posted and not carried out is flushed.
  void fail();
  /// A request has failed: that state, or where the target does not learn of it the state SQE, in which only
  /// the send queue stands still.
  void failSending();
  void flush();
  /// The same in the error state that a peer brought about. False, and nothing done, while a failure of our
  /// own has still to be reported: it comes first.
  bool flushOnceReported();
  void reset();

  /// The target's side of the connection; null when it is not ready for us.
  SharedQueuePair *remote() {
    if (!Target) [[unlikely]]
      Target = Home.peer(Shared->PeerLid);
    if (!Target || !Target->alive())
      return nullptr;
    SharedQueuePair &There = Target->segment().QueuePairs[queuePairIndex(Shared->PeerNumber)];
    uint32_t State = There.State.load(std::memory_order_acquire);
    return isReceiving(State) && There.Number == Shared->PeerNumber && There.PeerLid == Home.lid() &&
                   There.PeerNumber == number() && There.ExpectedPsn == FirstPsn
               ? &There
               : nullptr;
  }
  /// The same, for a request that comes there now.
  SharedQueuePair *reach() {
    SharedQueuePair *There = remote();
    if (There && There->State.load(std::memory_order_relaxed) == IBV_QPS_RTR) [[unlikely]]
      announceFirst(*There);
    return There;
  }
  /// Why remote() is null.
  Result unreachable();
  /// Whether the target takes what its packets carry: both sides cut messages at the same length, or
  /// these are of one packet.
  bool fitsPackets(const SharedQueuePair &There, const Request &R) const {
    return There.Mtu == static_cast<uint32_t>(Attr.path_mtu) || R.Length <= packetSize(There) ||
           R.Opcode == IBV_WR_RDMA_READ;
  }
  /// The target refuses a request: both sides fail.
  Result refuse(SharedQueuePair &There, ibv_wc_status Status);
  /// Whether a request that cannot be carried out may wait longer.
  bool waits(Request &R, Outcome Why);

private:
  /// The smaller of both sides'.
  uint64_t packetSize(const SharedQueuePair &There) const {
    return uint64_t(128) << std::min<uint32_t>(There.Mtu, Attr.path_mtu);
  }
  /// Tells the target, which does not send yet, that something has come.
  void announceFirst(SharedQueuePair &There);
  int check(const Request &R, size_t Count = 1);
  int postOne(Request &&R);
  void settle(Request &R, Result Last);
  void wait(Request &&R);
  bool begin(Request &R);
  /// Until when a request waits that finds no receive.
  Clock::time_point receiveLimit();
};

/// Carries out a request at once (device/Execute.cpp). The caller holds the lock of the queue pair.
Result execute(QueuePair &Qp, const Request &R);

/// Flushes the receives of a queue pair in error.
void flushReceives(Peer &Owner, SharedQueuePair &Qp);
/// Moves the target's queue pair to the error state, as a responder does that refuses a request.
void failRemote(Peer &Owner, SharedQueuePair &Qp, ibv_event_type Event);

} // namespace rdma::device
