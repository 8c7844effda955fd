#include "analyzer/explorer/State.h"

#include <array>

namespace rdma::explorer {
namespace {

class Encoder {
public:
  explicit Encoder(const State &S) : S(S) { Renamed.fill(NoSlot); }

  std::string run() {
    Out.reserve(128);
    for (const ThreadState &T : S.Threads) {
      number(T.At);
      number(T.Phase);
      number(T.Value);
      number(T.Desired);
      number(T.Old);
    }
    for (std::int64_t V : S.Memory)
      number(V);
    number(S.Locked);
    for (const auto &Buffer : S.Buffers)
      list(Buffer, [&](const Buffered &B) { buffered(B); });
    for (const PairState &P : S.Pairs) {
      list(P.Nic.Pipe, [&](const QueueEntry &E) { entry(E); });
      list(P.Nic.ToRemote, [&](const QueueEntry &E) { entry(E); });
      list(P.Nic.ToLocal, [&](const QueueEntry &E) { entry(E); });
      list(P.Waiting, [&](const Outstanding &O) {
        number(O.Id == None ? 0 : O.Id + 1);
        byte(O.Signaled);
        byte(O.ForPolls);
      });
    }
    trace();
    return std::move(Out);
  }

private:
  void byte(unsigned char B) { Out.push_back(static_cast<char>(B)); }
  void number(std::int64_t V) {
    auto U = (static_cast<std::uint64_t>(V) << 1) ^ static_cast<std::uint64_t>(V >> 63);
    for (; U >= 0x80; U >>= 7)
      byte(0x80 | (U & 0x7f));
    byte(U);
  }
  template <class List, class Fn> void list(const List &L, Fn Each) {
    number(L.size());
    for (const auto &E : L)
      Each(E);
  }

  void slot(Slot E) {
    if (E == NoSlot || !S.Order.following())
      return;
    if (Renamed[E] == NoSlot) {
      Renamed[E] = Order.size();
      Order.push_back(E);
    }
    byte(Renamed[E]);
  }

  void buffered(const Buffered &B) {
    byte(B.IsWrite);
    if (B.IsWrite) {
      number(B.Location);
      number(B.Value);
      slot(B.Event);
    } else {
      number(B.Pair);
      byte(B.Fenced);
      entry(B.Posted);
    }
  }

  /// Only what the entry's kind still needs.
  void entry(const QueueEntry &E) {
    using enum nic::EntryKind;
    const Request &R = E.Data;
    byte(static_cast<unsigned char>(E.Kind) * 2 + E.Signaled);
    switch (E.Kind) {
    case Put:
    case Get:
      number(R.Local);
      number(R.Remote);
      break;
    case PutValue:
    case AtomicWrite:
      number(R.Remote);
      number(R.Value);
      slot(R.Second);
      return;
    case LocalWrite:
      number(R.Local);
      number(R.Value);
      slot(R.Third);
      return;
    case Atomic:
      number(R.Local);
      number(R.Remote);
      number(R.Expected);
      number(R.Desired);
      byte(R.IsSwap * 4 + static_cast<unsigned>(R.Outcome));
      break;
    default:
      return;
    }
    slot(R.First);
    slot(R.Second);
    slot(R.Third);
  }

  void set(Trace::Set In) {
    Trace::Set Mapped = 0;
    for (unsigned I = 0; I < Order.size(); ++I)
      if (In >> Order[I] & 1)
        Mapped |= Trace::Set(1) << I;
    number(Mapped);
  }

  void trace() {
    const Trace &T = S.Order;
    byte(T.Weak);
    if (!T.following())
      return;
    for (Slot E : Order) {
      const Trace::Pending &P = T.Events[E];
      set(P.Before);
      set(P.Readers);
      number(P.Atomic * 2 + P.Torn);
      if (T.Watch) {
        set(P.Leaves);
        byte((T.Watched >> E & 1) * 2 + P.Second);
      }
    }
    for (const auto *Sets : {&T.Thread, &T.LastWrite, &T.Accesses})
      for (Trace::Set In : *Sets)
        set(In);
  }

  const State &S;
  std::string Out;
  std::array<Slot, 256> Renamed;
  std::vector<Slot> Order;
};

} // namespace

std::string encode(const State &S) { return Encoder(S).run(); }

} // namespace rdma::explorer
