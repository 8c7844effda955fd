#include "runtime/device/SubEvents.h"

#include "runtime/device/Tsan.h"

#include <algorithm>
#include <atomic>
#include <sys/mman.h>

namespace rdma::device::check {

namespace {

using enum EventKind;

void touchAt(void *Bytes, size_t Size, EventKind Kind, bool Whole, void *Pc) {
  const Tsan &T = *Tsan::get();
  if (Kind == narR)
    return; // it is one with its write
  bool IsAtomic = Kind == narW || (isRemote(Kind) && Whole);
  if (!IsAtomic)
    return (writes(Kind) ? T.write : T.read)(Bytes, Size, Pc);
  T.enter(Pc); // these take no place of their own
  if (writes(Kind))
    T.addNothing(Bytes, Size);
  else
    T.look(Bytes, Size);
  T.leave();
}

/// Where requests that use words of this process's own memory as their target are held against each other:
/// rooms of addresses that stand for the words. To those of one thread, or of one queue pair, a word is not
/// atomic: the program has put them in an order. What another thread does to a word by another queue pair may
/// come when it likes: one waits for a lock that the other gives back. Atomics have a room of their own.
constexpr unsigned Rooms = 64, OfAtomics = 2 * Rooms;

void *aliasOf(uint64_t Address, unsigned Room) {
  constexpr uint64_t Size = uint64_t(1) << 30;
  static char *All = static_cast<char *>(mmap(nullptr, (OfAtomics + 1) * Size, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  return All + Room * Size + Address % Size;
}

/// In turn, never the same again: what has ended would be held against what comes.
unsigned roomOfThread() {
  static std::atomic<unsigned> Threads;
  thread_local unsigned Number = Threads++;
  return Number;
}

/// Of the last ones nothing is held against each other.
void touchWord(const Tasks &Of, EventKind Kind, const ibv_sge &There, void *Pc) {
  auto In = [&](unsigned Room) { touchAt(aliasOf(There.addr, Room), There.length, Kind, false, Pc); };
  if (unsigned Room = roomOfThread(); Room < Rooms)
    In(Room);
  if (!Of.IsAlone && Of.Number < Rooms)
    In(Rooms + Of.Number);
  if (Kind == narW)
    In(OfAtomics);
}

/// Atomics come one after the other. A fetch-and-add reads what it adds to: whatever else writes there before
/// the sum does is lost, also when it is atomic to the processors; a compare-and-swap fails when it is too
/// late.
void beginAtomic(const ibv_sge &There, bool IsSum, void *Pc) {
  const Tsan &T = *Tsan::get();
  T.acquire(aliasOf(There.addr, OfAtomics));
  if (IsSum)
    T.read(reinterpret_cast<void *>(There.addr), There.length, Pc);
}

/// The fiber stands in these calls; mostly it does already.
void standIn(Tasks::Task &Own, const Stack &At) {
  const Tsan &T = *Tsan::get();
  if (Own.Under == &At)
    return;
  for (size_t I = Own.Under ? Own.Under->size() : 0; I > 1; --I)
    T.leave();
  for (size_t I = At.size(); I > 1; --I)
    T.enter(At[I - 1]);
  Own.Under = &At;
}

/// Calls Visit with the parts of a range that are told. Of a long one, when not all is, these are its ends
/// and a part between them, another one each time: who touches all of it meets each of them.
template <typename Visitor>
void forEachPart(uint64_t Address, uint64_t Length, uint64_t Part, Visitor Visit) {
  constexpr uint64_t AtEnd = 32, Least = 64;
  uint64_t Between = std::max(Least, Length / 64);
  if (!Part || Length <= 2 * (AtEnd + Between))
    return Visit(Address, Length);
  Visit(Address, AtEnd);
  Visit((Address + AtEnd + Part % (Length - 2 * AtEnd - Between)) & ~uint64_t(7), Between);
  Visit(Address + Length - AtEnd, AtEnd);
}

} // namespace

void touch(Tasks &Of, const SubEvent &E, const Stack &At) {
  standIn(taskOf(Of, E.Kind), At);
  void *Pc = At.empty() ? nullptr : At[0];
  for (const ibv_sge &S : E.Touched) {
    if (!S.length)
      continue;
    bool IsAtomic = isRemote(E.Kind) && !Of.Target && isWord(S.addr, S.length);
    if (E.Kind == narR && IsAtomic)
      beginAtomic(S, E.IsSum, Pc);
    forEachPart(S.addr, S.length, E.Part, [&](uint64_t From, uint64_t Length) {
      touchAt(reinterpret_cast<void *>(From), Length, E.Kind, IsAtomic, Pc);
    });
    if (IsAtomic)
      touchWord(Of, E.Kind, S, Pc);
  }
}

} // namespace rdma::device::check
