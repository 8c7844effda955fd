#include "rdma/objects/fifo.h"

#include <algorithm>
#include <bit>

namespace rdma::objects {

namespace {

/// full:1, ticket:31, value:32. A cell is empty for the first ticket that is its, then full with its value,
/// then empty for the ticket of the next lap, and so on: it never goes back.
struct cell {
  static constexpr unsigned TicketBits = 31;
  static constexpr word TicketMask = (word(1) << TicketBits) - 1;
  bool Full;
  word Ticket;
  std::uint32_t Value;

  static cell of(word W) { return {bool(W >> 63), W >> 32 & TicketMask, static_cast<std::uint32_t>(W)}; }
  word packed() const { return word(Full) << 63 | (Ticket & TicketMask) << 32 | Value; }
  /// Ticket - Other, of tickets that are less than half of all numbers apart.
  std::int64_t ahead(word Other) const {
    word Difference = (Ticket - Other) & TicketMask;
    return Difference >> (TicketBits - 1)
               ? static_cast<std::int64_t>(Difference) - (std::int64_t(1) << TicketBits)
               : static_cast<std::int64_t>(Difference);
  }
};

} // namespace

fifo::fifo(std::string Name, manager &Manager, node_id Host, std::size_t Capacity)
    : channel(std::move(Name), Manager) {
  require_atomics(*this);
  if (Capacity > std::size_t(1) << (cell::TicketBits - 2))
    throw error("fifo '" + this->name() + "' is too large", this->name());
  Cells = std::bit_ceil(std::max<std::size_t>(Capacity, 2));
  std::size_t Size = Cells * sizeof(word);
  agree("host", Host);
  agree("cells of the queue", Cells);
  if (me() == Host) {
    own("head", line_size);
    own("tail", line_size);
    word *Ring = own("cells", Size).words();
    for (std::size_t I = 0; I < Cells; ++I)
      store(Ring[I], cell{false, I, 0}.packed());
  }
  Head = &other(Host, "head", line_size);
  Tail = &other(Host, "tail", line_size);
  Ring = &other(Host, "cells", Size);
  join();
}

/// Ticket: at least what the word says, which somebody has put there who knew.
status fifo::catchUp(endpoint &Here, const remote &Known, word &Ticket) {
  word Said;
  status S = Here.load(Said, Known);
  if (S == status::ok)
    Ticket = std::max(Ticket, Said);
  return S;
}

// Of every ticket before the one that is tried it is known that it was filled (taken): so a cell that is
// still full from the lap before says that the queue is full, and one that waits for this ticket that it is
// empty, at the moment of the atomic operation that has seen it.

status fifo::enqueue(std::uint32_t Value) {
  endpoint &Here = owner().here();
  waiting Wait(Here);
  const auto Lap = static_cast<std::int64_t>(Cells);
  for (word Ticket = 0;;) {
    if (status S = catchUp(Here, *Tail, Ticket); S != status::ok)
      return S;
    bool Done;
    word Seen = cell{false, Ticket, 0}.packed();
    if (status S = Here.compare_exchange(Seen, cellAt(Ticket), cell{true, Ticket, Value}.packed(), Done);
        S != status::ok)
      return S;
    if (Done)
      return Here.put_word(*Tail, Ticket + 1);
    cell C = cell::of(Seen);
    std::int64_t Ahead = C.ahead(Ticket);
    if (C.Full && Ahead == -Lap)
      return status::full;
    // An empty cell was filled for the lap before.
    Ticket += static_cast<word>(C.Full ? Ahead + 1 : Ahead - Lap + 1);
    if (status S = Wait.step(); S != status::ok)
      return S;
  }
}

status fifo::dequeue(std::uint32_t &Value) {
  endpoint &Here = owner().here();
  waiting Wait(Here);
  for (word Ticket = 0;;) {
    if (status S = catchUp(Here, *Head, Ticket); S != status::ok)
      return S;
    word Seen;
    if (status S = Here.fetch_add(Seen, cellAt(Ticket), 0); S != status::ok)
      return S;
    if (cell C = cell::of(Seen); C.ahead(Ticket) == 0) {
      if (!C.Full)
        return status::empty;
      bool Done;
      if (status S =
              Here.compare_exchange(Seen, cellAt(Ticket), cell{false, Ticket + Cells, 0}.packed(), Done);
          S != status::ok)
        return S;
      if (Done) {
        Value = C.Value;
        return Here.put_word(*Head, Ticket + 1);
      }
    }
    // Full or not, it was taken for the lap before what it shows.
    Ticket += static_cast<word>(cell::of(Seen).ahead(Ticket)) - Cells + 1;
    if (status S = Wait.step(); S != status::ok)
      return S;
  }
}

} // namespace rdma::objects
