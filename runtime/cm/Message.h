// What the two sides of a connection tell each other, one message in one packet. That a side is gone, or has
// disconnected, the other learns from the end of the connection.
#pragma once

#include <cstdint>
#include <infiniband/verbs.h>
#include <sys/socket.h>

namespace rdma::cm {

inline constexpr uint32_t MessageMagic = 0x52434d31;

enum class MessageKind : uint32_t {
  Request,  ///< from who connects
  Response, ///< it is accepted
  Ready,    ///< the connecting side has its queue pair ready, too
  Reject    ///< with Reason
};

/// Why a request is refused; the numbers of the InfiniBand specification, which programs see as status.
enum class Reason : uint32_t { None = 0, Timeout = 4, NoListener = 8, Consumer = 28, VendorOption = 35 };

/// Bytes of private data that a program can send, and that the other program sees (zeros behind what was
/// sent), as on InfiniBand.
inline constexpr uint8_t RequestPrivate = 56, ResponsePrivate = 196, RejectPrivate = 148;
/// The same of those that ask for the queue pair of a service of datagrams.
inline constexpr uint8_t DatagramRequestPrivate = 180, DatagramResponsePrivate = 136;

struct Message {
  uint32_t Magic = MessageMagic;
  MessageKind Kind = MessageKind::Request;
  Reason Why = Reason::None;
  uint32_t Lid = 0, QueuePair = 0, Psn = 0, Qkey = 0;
  ibv_gid Gid = {};
  /// Of the sender: reads that it answers at once, and that it keeps under way.
  uint8_t ResponderResources = 0, InitiatorDepth = 0;
  uint8_t FlowControl = 0, RetryCount = 0, RnrRetryCount = 0, SharedReceives = 0;
  uint32_t EceVendor = 0, EceOptions = 0;
  sockaddr_storage From = {}, To = {}; ///< of a request
  uint8_t Private[256] = {};
};

} // namespace rdma::cm
