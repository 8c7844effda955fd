// What sockets for datagrams tell each other: at their doors who they are, and before each datagram the
// sender's address.
#pragma once

#include "runtime/sockets/Datagrams.h"

namespace rdma::sockets {

inline constexpr uint32_t Key = 0x72736f63;
/// The card carries 4096 bytes, behind a header of its own.
inline constexpr uint32_t MostBytes = 4096 - sizeof(Address), DatagramSlot = 4096 + 128;

struct Greeting {
  static constexpr uint32_t Expected = 0x52534447;
  uint32_t Magic = Expected;
  uint32_t Lid = 0, QueuePair = 0;
  uint32_t HasDatagram = 0; ///< behind this
  Address From;
};

} // namespace rdma::sockets
