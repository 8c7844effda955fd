// A ring of messages from one thread to several (LOCO's ring buffer): every reader gets every message, in
// order.
//
// Cells go before the head on each queue pair; a cell is used again when every reader has said that it is
// done with it. Small runs are sent inline, longer ones are awaited before the next message is built (no
// local race either way). Stamps: submit aCW, aNRW for each reader's node; receive aCR.
//
// Cost: a message one put or two and the head's, half a round trip until it can be read; an empty look none.
#pragma once

#include "rdma/objects/roster.h"

#include <optional>

namespace rdma::objects {

class ring : public channel {
public:
  /// Cells: words of the ring, at most all but one of which a message takes.
  ring(std::string Name, manager &Manager, thread_id Writer, std::span<const thread_id> Readers,
       std::size_t Cells);

  /// The writer's. False when the readers have not made room yet (or it could not be sent: see submit).
  bool try_submit(std::span<const word> Message);
  /// Waits for room. full when the message can never fit, not_owner for another thread, peer_lost, stopped.
  status submit(std::span<const word> Message);

  /// A reader's: the next message, if there is one.
  std::optional<std::vector<word>> try_receive();
  /// The next message where it lies (a copy when it wraps around); release makes room for others. Nothing for
  /// a thread that is no reader.
  std::optional<std::span<const word>> peek();
  /// Gives back what was peeked at, once. While there is more to read, up to an eighth of the cells are given
  /// back together.
  void release();

  /// Sends through this endpoint from now on, for whichever thread submits; one at a time.
  void push_through(endpoint *Through) { Pushes = Through; }

  const roster &readers() const { return Readers; }

private:
  struct alignas(line_size) reader_state {
    word Taken = 0, Peeked = 0; ///< Peeked: cells of the message that is looked at, if any
    word Told = 0;              ///< how far the writer knows
    std::vector<word> Copy;
  };
  status send(std::span<const word> Message, endpoint &Through);
  status trySubmit(std::span<const word> Message);
  status sendCells(word From, word Count, endpoint &Through);
  word slowest() const;

  thread_id Writer;
  roster Readers;
  std::size_t Size;
  endpoint *Pushes = nullptr; ///< null: the writer's own
  word *Cells, *Head, *Taken; ///< Taken: how far each reader is, a line each
  std::vector<const remote *> CellsAt, HeadAt, TakenAt;
  node_set Targets;
  std::vector<reader_state> States;
  ack Sent;
};

} // namespace rdma::objects
