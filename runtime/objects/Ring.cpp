#include "rdma/objects/ring.h"

#include <algorithm>
#include <utility>

namespace rdma::objects {

namespace {
constexpr std::size_t Stride = line_size / sizeof(word);
constexpr std::size_t HeldBack = 8; ///< the part of the cells that a reader with more to read may keep
} // namespace

ring::ring(std::string Name, manager &Manager, thread_id Writer, std::span<const thread_id> Given,
           std::size_t Cells)
    : channel(std::move(Name), Manager), Writer(Writer), Readers(Manager, Given), Size(Cells),
      Targets(Readers.nodes().without(Writer.node)), States(Readers.size()) {
  if (Size < 2 || Readers.size() == 0)
    throw error("ring '" + this->name() + "' needs two cells and a reader", this->name());
  require_node(Writer.node);
  agree("writer", Writer.node);
  agree("thread of the writer", Writer.index);
  agree("digest of the readers", Readers.digest());
  std::size_t Bytes = bytes_of(Size, sizeof(word));
  this->Cells = own("cells", Bytes).words();
  Head = own("head", line_size).words();
  Taken = own("taken", Readers.size() * line_size).words();
  for (node_id N : Manager.all()) {
    CellsAt.push_back(&other(N, "cells", Bytes));
    HeadAt.push_back(&other(N, "head", line_size));
    TakenAt.push_back(&other(N, "taken", Readers.size() * line_size));
  }
  join();
}

word ring::slowest() const {
  word Least = load(Taken[0]);
  for (std::size_t I = 1; I < Readers.size(); ++I)
    Least = std::min(Least, load(Taken[I * Stride]));
  return Least;
}

/// One run of cells to every reader's node: inline when it is short, else awaited before the cells change
/// again.
status ring::sendCells(word From, word Count, endpoint &Through) {
  std::size_t Bytes = Count * sizeof(word);
  bool Short = Bytes <= inline_limit;
  for (node_id N : Targets)
    if (status S = Through.put(CellsAt[N]->word_at(From), &Cells[From], Bytes, Short ? nullptr : &Sent,
                               Short ? inlined : 0);
        S != status::ok)
      return S;
  return status::ok;
}

status ring::send(std::span<const word> Message, endpoint &Through) {
  if (status S = Through.wait(Sent); S != status::ok) // what the NIC still reads is not written over
    return S;
  word First = load(*Head), Next = First + Message.size() + 1;
  store(Cells[First % Size], Message.size());
  for (std::size_t I = 0; I < Message.size(); ++I)
    store(Cells[(First + 1 + I) % Size], Message[I]);
  word Begin = First % Size, Whole = Message.size() + 1, Run = std::min<word>(Whole, Size - Begin);
  if (status S = sendCells(Begin, Run, Through); S != status::ok)
    return S;
  if (Run < Whole)
    if (status S = sendCells(0, Whole - Run, Through); S != status::ok)
      return S;
  store(*Head, Next);
  for (node_id N : Targets)
    if (status S = Through.put_word(*HeadAt[N], Next); S != status::ok)
      return S;
  return status::ok;
}

status ring::trySubmit(std::span<const word> Message) {
  if (me() != Writer.node || (!Pushes && owner().thread_index() != Writer.index))
    return status::not_owner;
  if (Message.size() >= Size)
    return status::full;
  if (load(*Head) - slowest() + Message.size() + 1 > Size)
    return status::empty; // of room, for now
  return send(Message, Pushes ? *Pushes : owner().here());
}

bool ring::try_submit(std::span<const word> Message) { return trySubmit(Message) == status::ok; }

status ring::submit(std::span<const word> Message) {
  status S = trySubmit(Message);
  if (S != status::empty)
    return S;
  waiting Wait(Pushes ? *Pushes : owner().here());
  for (;;) {
    status Health = Wait.step();
    if (S = trySubmit(Message); S != status::empty)
      return S;
    if (Health != status::ok)
      return Health;
  }
}

std::optional<std::span<const word>> ring::peek() {
  std::size_t Me = Readers.mine();
  if (Me == roster::none)
    return {};
  reader_state &State = States[Me];
  word At = State.Taken;
  if (load(*Head) <= At)
    return {};
  word Length = load(Cells[At % Size]), Begin = (At + 1) % Size;
  State.Peeked = Length + 1;
  if (Begin + Length <= Size)
    return std::span<const word>(&Cells[Begin], Length);
  State.Copy.resize(Length);
  for (word I = 0; I < Length; ++I)
    State.Copy[I] = load(Cells[(At + 1 + I) % Size]);
  return std::span<const word>(State.Copy);
}

void ring::release() {
  std::size_t Me = Readers.mine();
  if (Me == roster::none || !States[Me].Peeked)
    return;
  reader_state &State = States[Me];
  State.Taken += std::exchange(State.Peeked, 0);
  // The reads come before: a store or a post is never ahead of a load of the same thread.
  store(Taken[Me * Stride], State.Taken);
  // With more to read the writer hears of several at once: it has room, or waits for little.
  if (Writer.node == me() || (State.Taken - State.Told < Size / HeldBack && load(*Head) > State.Taken))
    return;
  State.Told = State.Taken;
  (void)owner().here().put_word(TakenAt[Writer.node]->word_at(Me * Stride), State.Taken);
}

std::optional<std::vector<word>> ring::try_receive() {
  auto Message = peek();
  if (!Message)
    return {};
  std::vector<word> Copy(Message->size());
  for (std::size_t I = 0; I < Copy.size(); ++I)
    Copy[I] = load((*Message)[I]);
  release();
  return Copy;
}

} // namespace rdma::objects
