#include "rdma/objects/fifo.h"

#include <bit>

namespace rdma::objects {

namespace {

/// safe:1, full:1, ticket:30, value:32.
struct cell {
  static constexpr unsigned TicketBits = 30;
  static constexpr word TicketMask = (word(1) << TicketBits) - 1;
  bool Safe, Full;
  word Ticket;
  std::uint32_t Value;

  static cell of(word W) {
    return {bool(W >> 63), bool(W >> 62 & 1), W >> 32 & TicketMask, static_cast<std::uint32_t>(W)};
  }
  word packed() const { return word(Safe) << 63 | word(Full) << 62 | (Ticket & TicketMask) << 32 | Value; }
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
    : channel(std::move(Name), Manager), Cells(std::bit_ceil(std::max<std::size_t>(Capacity, 2))) {
  require_atomics(*this);
  if (Cells > std::size_t(1) << (cell::TicketBits - 2))
    throw error("fifo '" + this->name() + "' is too large", this->name());
  std::size_t Size = Cells * sizeof(word);
  agree("host", Host);
  if (me() == Host) {
    own("head", line_size);
    own("tail", line_size);
    word *Ring = own("cells", Size).words();
    for (std::size_t I = 0; I < Cells; ++I)
      store(Ring[I], cell{true, false, I, 0}.packed());
  }
  Head = &other(Host, "head", line_size);
  Tail = &other(Host, "tail", line_size);
  Ring = &other(Host, "cells", Size);
  join();
}

status fifo::enqueue(std::uint32_t Value) {
  endpoint &Here = owner().here();
  waiting Wait(Here);
  for (;;) {
    word Ticket, Seen, First;
    if (status S = Here.fetch_add(Ticket, *Tail, 1); S != status::ok)
      return S;
    if (status S = Here.load(Seen, cellAt(Ticket)); S != status::ok)
      return S;
    if (status S = Here.load(First, *Head); S != status::ok)
      return S;
    cell C = cell::of(Seen);
    if (!C.Full && C.ahead(Ticket) <= 0 && (C.Safe || First <= Ticket)) {
      bool Done;
      word Expected = Seen;
      if (status S =
              Here.compare_exchange(Expected, cellAt(Ticket), cell{true, true, Ticket, Value}.packed(), Done);
          S != status::ok || Done)
        return S;
    }
    if (static_cast<std::int64_t>(Ticket - First) >= static_cast<std::int64_t>(Cells))
      return status::full;
    if (status S = Wait.step(); S != status::ok)
      return S;
  }
}

/// What the cell of this ticket holds, if it is the ticket's; else leaves it so that nothing is put there for
/// this ticket.
status fifo::takeFrom(endpoint &Here, word Ticket, bool &Taken, std::uint32_t &Value) {
  word Seen;
  Taken = false;
  if (status S = Here.load(Seen, cellAt(Ticket)); S != status::ok)
    return S;
  for (;;) {
    cell C = cell::of(Seen);
    if (C.ahead(Ticket) > 0)
      return status::ok;
    bool Mine = C.Full && C.ahead(Ticket) == 0, Done;
    cell Next = C.Full && !Mine ? cell{false, true, C.Ticket, C.Value}
                                // its taker is late: not safe for this round
                                : cell{C.Safe, false, Ticket + Cells, 0};
    if (status S = Here.compare_exchange(Seen, cellAt(Ticket), Next.packed(), Done); S != status::ok)
      return S;
    if (!Done)
      continue; // Seen is what is there
    Taken = Mine;
    Value = C.Value;
    return status::ok;
  }
}

/// Takers may have gone past the end: the tail follows, so that the next value goes where they will look.
status fifo::catchUp(endpoint &Here) {
  for (;;) {
    word First, Last;
    if (status S = Here.load(Last, *Tail); S != status::ok)
      return S;
    if (status S = Here.load(First, *Head); S != status::ok)
      return S;
    if (First <= Last)
      return status::ok;
    bool Done;
    if (status S = Here.compare_exchange(Last, *Tail, First, Done); S != status::ok || Done)
      return S;
  }
}

status fifo::dequeue(std::uint32_t &Value) {
  endpoint &Here = owner().here();
  waiting Wait(Here);
  for (;;) {
    word Ticket, Last;
    bool Taken;
    if (status S = Here.fetch_add(Ticket, *Head, 1); S != status::ok)
      return S;
    if (status S = takeFrom(Here, Ticket, Taken, Value); S != status::ok || Taken)
      return S;
    if (status S = Here.load(Last, *Tail); S != status::ok)
      return S;
    if (Last <= Ticket + 1) {
      status S = catchUp(Here);
      return S == status::ok ? status::empty : S;
    }
    if (status S = Wait.step(); S != status::ok)
      return S;
  }
}

} // namespace rdma::objects
