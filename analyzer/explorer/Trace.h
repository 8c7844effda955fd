// Who comes before whom in po, rf, rb and mo, kept for the part of a run that can still matter.
//
// A run of the machine is one execution (SYNC Theorem 7): memory steps give rf and mo. Reads and writes take
// effect one after the other, so rf, rb and mo point forward in time, and only program order can point back:
// from an event that has been issued but not taken effect to later ones that have. An execution is not
// sequentially consistent (ROBUST Def. 5, 11) exactly when some event takes effect after an event that it
// reaches; so it is enough to know, for each pending event, what it reaches among: the pending events, the
// rest of each thread, and for each location the last write and the accesses since.
#pragma once

#include <cstdint>
#include <vector>

namespace rdma::explorer {

/// A pending event; NoSlot for events that are not followed.
using Slot = std::uint8_t;
inline constexpr Slot NoSlot = 0xff;

/// An event of a thread. Statement counts in the program (Thread::Statements), and a statement has at most
/// one event for a location and direction, but for remote atomics onto themselves.
struct EventKey {
  unsigned Thread, Statement, Location;
  bool Write;
  bool operator==(const EventKey &) const = default;
};

/// What to look for instead of any weak execution: Second takes effect before First, which it follows in
/// program order, and a way leads from Second back to First: it leaves Second by rf, rb or mo, arrives at
/// First by one of them, and every step of it, program order too, goes forward in time. So First before
/// Second in program order is on a cycle of the execution, and is the only broken order on it.
struct WatchedPair {
  EventKey First, Second;
  /// Instead of that: First is the write of a remote atomic, and Second writes between its two halves.
  bool Torn = false;
};

/// Listens to every event of one run, each with a slot of its own (analyzer/explorer/Recording.h).
class Recorder {
public:
  virtual ~Recorder() = default;
  virtual Slot issued(const EventKey &E) = 0;
  virtual void dropped(Slot S) = 0;
  virtual void accessed(Slot S, unsigned Location, bool Write) = 0;
  /// Served by the thread's own buffered write.
  virtual void readBuffered(Slot Read, Slot Write, unsigned Location) = 0;
  virtual void atomicRead(Slot Write, unsigned Location) = 0;
};

struct Trace {
  using Set = std::uint64_t; ///< of slots

  struct Pending {
    Set Before = 0;    ///< pending events that reach this one
    Set Readers = 0;   ///< a buffered CPU write: what reaches reads that were served from the buffer
    int Atomic = -1;   ///< the write of a remote atomic that has read this location ...
    bool Torn = false; ///< ... which something else has written since
    Set Leaves = 0;    ///< watched pairs of which this is the second: their first events
    bool Second = false;
    bool operator==(const Pending &) const = default;
  };

  bool On = false;
  bool Weak = false; ///< not sequentially consistent; nothing is followed any more
  Set Used = 0;
  std::vector<Pending> Events;                  ///< by slot
  std::vector<Set> Thread, LastWrite, Accesses; ///< what reaches: the rest of a thread; a location's last
                                                ///< write; its last write or a read since

  void start(unsigned Threads, unsigned Locations);
  bool following() const { return On && !Weak; }
  /// With a recorder nothing is followed.
  Recorder *Record = nullptr;

  /// Looks for this pair only. What is followed then are the watched events, the first ones of such pairs: a
  /// watched event in one of the sets above means that a way leads there from the second event of its pair.
  /// Bits of other events only say what follows them in program order.
  const WatchedPair *Watch = nullptr;
  Set Watched = 0;

  /// A pending event at the end of the thread's program order. Throws std::length_error beyond 63 of them.
  Slot issue(const EventKey &E);
  /// An event that will not happen (the write of a failed compare-and-swap).
  void drop(Slot S);
  /// A pending event takes effect.
  void read(Slot S, unsigned Location);
  void write(Slot S, unsigned Location);
  /// A CPU event that is issued and takes effect at once.
  void readNow(const EventKey &E);
  void writeNow(const EventKey &E);
  /// A CPU read served by the buffered write of its own thread.
  void readBuffered(const EventKey &E, Slot Write);
  /// The remote atomic whose write is S has read.
  void beginAtomic(Slot S, unsigned Location);

private:
  void arrive(Slot S, Set From);
  void tear(Slot Except, unsigned Location, bool BySecond);
  bool isSecond(const EventKey &E) const { return Watch && E == Watch->Second; }
  Set leaving(const EventKey &E) const { return isSecond(E) && !Watch->Torn ? Watched : 0; }
  /// What a taken step hands on: with a watched pair no order that was broken.
  Set handedOn(Set From) const { return Watch ? From & Watched : From; }
  bool closes(Slot S, Set AtLocation) const;
  void found();
};

} // namespace rdma::explorer
