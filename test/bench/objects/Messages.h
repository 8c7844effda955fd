// SEND and RECV between the nodes of a benchmark: what people would use instead of the objects. Queue pairs
// of its own, on the same device.
#pragma once

#include "rdma/objects/channel.h"

#include <cstring>
#include <functional>
#include <infiniband/verbs.h>

namespace rdma::bench {

using namespace rdma::objects;

/// Gives the core away as the objects do: not in the first looks, and then once for so many.
class patience {
public:
  void step() {
    constexpr unsigned Looks = 16;
    if (++Turn > Looks && Turn % Looks == 0)
      rest(Turn / Looks - 1);
  }
  void again() { Turn = 0; }

private:
  unsigned Turn = 0;
};

class messages : public channel {
public:
  static constexpr std::size_t Largest = 128;
  static constexpr unsigned Deep = 256;

  /// Links: queue pairs between each two nodes.
  messages(const std::string &Name, manager &Manager, unsigned Links);
  ~messages() override;
  /// When the manager is ready: tells the others how to be reached, and with Meet that all have heard it.
  void connect(const std::function<void()> &Meet);

  void send(node_id To, unsigned Link, const void *Data, std::size_t Size);
  /// False when there is none.
  bool receive(node_id From, unsigned Link, void *Into, std::size_t Size);

private:
  struct way {
    ibv_qp *Qp = nullptr;
    ibv_cq *Sent = nullptr, *Received = nullptr;
    std::vector<char> Buffers; ///< receives, then sends
    ibv_mr *Mr = nullptr;
    unsigned Posted = 0, Unsignaled = 0;
  };
  struct card {
    std::uint32_t Number, Lid;
  };
  way &at(node_id Node, unsigned Link) { return Ways[Node * Links + Link]; }
  void make(way &W);
  void take(way &W, unsigned Buffer);
  void bring(way &W, const card &There);

  unsigned Links;
  ibv_context *Device = nullptr;
  ibv_pd *Pd = nullptr;
  std::uint16_t Lid = 0;
  std::vector<way> Ways;
  word *Cards;
  std::vector<const remote *> CardsAt;
};

} // namespace rdma::bench
