// What travels through the NIC's queues on this device: pieces of requests, and the memory they work on.
#pragma once

#include "runtime/device/QueuePair.h"
#include "runtime/device/Receive.h"
#include "runtime/nic/Apply.h"

#include <memory>

namespace rdma::device {

/// Bytes [Begin, Begin + Length) of a request. A request is one piece or several: one per scatter-gather
/// entry of a READ or WRITE, and a large entry in parts, because no NIC moves more than a cache line at once.
struct Piece {
  std::shared_ptr<Request> Of;
  uint64_t Begin = 0, Length = 0;
  bool Last = true;
  std::shared_ptr<std::vector<char>> Bytes; ///< read and not yet written
  std::shared_ptr<RegionUse> There;         ///< the remote range, from its check to its last use
  std::shared_ptr<TakenReceive> Receive;    ///< taken for the piece that announces itself to the peer
  uint64_t Value = 0;                       ///< of an atomic's write
  uint64_t Ticket = 0;                      ///< of one that is acknowledged (device/Inbound.h); 0: it is not
};

using WeakQueues = nic::QueuePairQueues<Piece>;

/// The pieces of a request in order. Split: cut large entries in several.
std::vector<Piece> piecesOf(const std::shared_ptr<Request> &R, bool Split);

/// The pieces of a WRITE that is not empty in any order: nothing obliges a NIC to place the bytes of one
/// WRITE from the first to the last. What lies within one unit of the target, a power of two, stays together.
std::vector<Piece> tornPiecesOf(const std::shared_ptr<Request> &R, uint64_t Unit, uint64_t Chosen);

/// The memory of nic::Memory, on both sides of a queue pair.
class WeakMemory {
public:
  explicit WeakMemory(QueuePair &Qp) : Qp(Qp) {}
  void readLocal(Piece &P);
  void readRemote(Piece &P);
  void writeLocal(Piece &P);
  void writeRemote(Piece &P);
  std::optional<Piece> readAtomic(Piece &P);
  bool tryLock(Piece &P);
  void unlock(Piece &P);

  /// Whether a step may start now: the peer is there, keys and ranges are right. Failed: with the status of
  /// the request, whose step must not be taken.
  Result admit(nic::Rule Rule, Piece &P);

  /// The request of a piece on its way is about to be acknowledged: from now on the piece arrives whatever
  /// becomes of this process. False when there is no room for it; then it has to arrive first.
  bool acknowledge(Piece &P);

private:
  bool isNext(const Piece &P) const;
  Result admitLocal(const Piece &P);
  Result admitRemote(Piece &P, uint32_t Right);
  Result admitAnnouncement(Piece &P);
  bool copyLocal(const Piece &P, bool ToBytes, uint32_t Access);
  QueuePair &Qp;
};

} // namespace rdma::device
