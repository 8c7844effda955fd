// The nodes of a litmus program as nodes of the fabric: registered memory for its locations, and a connected
// pair of queue pairs for each of its queue pairs.
#pragma once

#include "ir/Program.h"
#include "test/unit/runtime/Verbs.h"

#include <memory>

namespace rdma::test {

/// The devices of this process, opened once.
class Devices {
public:
  /// Asks for so many nodes and the weak schedule, in a fabric of this process alone.
  explicit Devices(unsigned Count);
  const Device &operator[](NodeId N) const { return *Open[N]; }

private:
  std::vector<std::unique_ptr<Device>> Open;
};

class Nodes {
public:
  Nodes(const Program &P, const Devices &D);
  ~Nodes();
  Nodes(const Nodes &) = delete;
  Nodes &operator=(const Nodes &) = delete;

  /// The initial values.
  void reset();
  std::vector<std::int64_t> values() const;

  std::int64_t *word(ObjectId O) const { return place(P.Objects[O].Home, 1 + O); }
  const ibv_mr *region(ObjectId O) const { return Regions[P.Objects[O].Home]; }
  ibv_qp *pair(QueuePairId Q) const { return Links[Q].Near; }
  ibv_cq *completions(QueuePairId Q) const { return Links[Q].Near->send_cq; }

  /// Nothing of the queue pair is under way any more, and its completion queue is empty.
  void settle(QueuePairId Q) const;

private:
  struct Link {
    ibv_qp *Near, *Far;
  };
  ibv_cq *completionsFor(QueuePairId Q, const Device &D);
  void connectPair(QueuePairId Q, const Devices &D);
  /// Every word has a cache line of its own; number 0 is no location.
  std::int64_t *place(NodeId N, std::size_t Number) const;

  const Program &P;
  std::size_t Size; ///< bytes of a node
  char *Base;
  std::vector<ibv_mr *> Regions;
  std::vector<Link> Links;
};

/// What a work request's identifier says: the queue pair, and which of its requests.
inline uint64_t workRequestId(QueuePairId Q, uint32_t Number) { return uint64_t(Q) << 32 | Number; }

} // namespace rdma::test
