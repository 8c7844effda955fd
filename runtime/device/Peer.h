// Another node of the fabric, or this one, as the poster of requests sees it: its segment and its memory.
// What every request goes through is inline.
#pragma once

#include "runtime/device/Copy.h"
#include "runtime/device/Shared.h"

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace rdma::device {

/// Bytes of a region, or nothing.
struct Bytes {
  bool Found = false;
  char *Mapped = nullptr; ///< in this process; null: ask the kernel to copy
  uint64_t Address = 0;   ///< in the owner
  explicit operator bool() const { return Found; }
};

/// Bytes that a request may use for the life of the object: deregistration waits for it.
class RegionUse : public Bytes {
public:
  RegionUse() = default;
  RegionUse(std::atomic<uint32_t> &Count, Bytes What, uint32_t Key, uint64_t Named)
      : Bytes(What), Key(Key), Named(Named), Count(&Count) {}
  RegionUse(RegionUse &&Other) noexcept
      : Bytes(Other), Key(Other.Key), Named(Other.Named), Count(std::exchange(Other.Count, nullptr)) {}
  RegionUse &operator=(RegionUse &&) = delete;
  ~RegionUse() {
    if (Count)
      Count->fetch_sub(1, std::memory_order_release);
  }

  uint32_t Key = 0;   ///< of the region, also where a window was named
  uint64_t Named = 0; ///< the first byte, as peers name it there

private:
  std::atomic<uint32_t> *Count = nullptr; ///< of this process, of the region
};

class Peer {
public:
  /// Connects to the node of that name (device/Node.h); null when there is none, or it is another user's.
  static std::shared_ptr<Peer> connect(const std::string &Name);
  /// Is the node there, but in a PID namespace that cannot be seen from here, and does it not give its memory
  /// (device/Descriptors.h)?
  static bool isHidden(const std::string &Name);
  /// A node of this process, whose memory is simply there.
  static std::shared_ptr<Peer> self(SharedSegment *Own);
  ~Peer();

  SharedSegment &segment() { return *Segment; }
  /// The id of its process (Process.h).
  uint32_t process() const { return Segment->Pid; }
  bool isSelf() const { return Socket < 0; }

  /// False for ever once the node is known to be gone. Costs a load; the service thread keeps it up to date.
  bool alive() const {
    return !Gone.load(std::memory_order_relaxed) && Segment->Alive.load(std::memory_order_relaxed);
  }
  /// Asks the kernel.
  bool checkAlive();
  /// So that none of its threads runs any more.
  bool hasHungUp() { return !checkAlive() && Gone.load(std::memory_order_relaxed); }
  int socket() const { return Socket; }
  void markGone() { Gone = true; }

  /// The bytes [Address, Address + Length) of the region with this key. Nothing when there is no such key, it
  /// is of another protection domain, the range leaves the region, or a right of Access is missing. To be
  /// touched only while the caller keeps them from going away: those of another process while present there
  /// (device/Presence.h), its own while it holds the lock of a queue pair.
  Bytes find(uint32_t Key, uint64_t Address, uint64_t Length, uint32_t Access, uint32_t Domain) {
    SharedRegion &R = Segment->Regions[regionIndex(Key)];
    if (!Key || R.Key.load() != Key || R.Domain != Domain || (R.Access & Access) != Access ||
        Address < R.Iova || Length > R.Length || Address - R.Iova > R.Length - Length) [[unlikely]]
      return {};
    uint64_t Owned = Address - R.Iova + R.Address;
    if (isSelf())
      return {true, reinterpret_cast<char *>(Owned), Owned};
    if (R.Where != Backing::Window) [[unlikely]]
      return {true, nullptr, Owned};
    Slot &S = Slots[regionIndex(Key)];
    if (S.Key.load(std::memory_order_acquire) != Key && !map(R, Key)) [[unlikely]]
      return {};
    auto Delta = static_cast<uint64_t>(S.Delta.load(std::memory_order_relaxed));
    return {true, reinterpret_cast<char *>(Owned + Delta), Owned};
  }
  /// The same, kept for longer.
  RegionUse use(uint32_t Key, uint64_t Address, uint64_t Length, uint32_t Access, uint32_t Domain);
  /// Both for a request that comes to that queue pair of the node, which may name a memory window.
  Bytes findFor(const SharedQueuePair &By, uint32_t Key, uint64_t Address, uint64_t Length, uint32_t Access,
                uint32_t Domain) {
    Bytes Found = find(Key, Address, Length, Access, Domain);
    return Found ? Found : findInWindow(By, Key, Address, Length, Access, Domain);
  }
  RegionUse useFor(const SharedQueuePair &By, uint32_t Key, uint64_t Address, uint64_t Length,
                   uint32_t Access, uint32_t Domain);

  /// Copies into and out of what was found. False when the owner is gone.
  bool write(const Bytes &To, uint64_t Offset, const void *From, uint64_t Length) {
    if (!To.Mapped) [[unlikely]]
      return writeByKernel(To.Address + Offset, From, Length);
    copyWords(To.Mapped + Offset, From, Length);
    return true;
  }
  bool read(void *To, const Bytes &From, uint64_t Offset, uint64_t Length) {
    if (!From.Mapped) [[unlikely]]
      return readByKernel(To, From.Address + Offset, Length);
    copyWords(To, From.Mapped + Offset, Length);
    return true;
  }

  /// Writes a record into a pipe of the node; Fd is its number there, and Cookie tells later pipes of the
  /// same number apart.
  void signal(int Fd, uint32_t Cookie, const void *Record, size_t Size);

private:
  Peer() = default;
  bool map(SharedRegion &Region, uint32_t Key);
  Bytes findInWindow(const SharedQueuePair &By, uint32_t Key, uint64_t Address, uint64_t Length,
                     uint32_t Access, uint32_t Domain);
  bool writeByKernel(uint64_t To, const void *From, uint64_t Length);
  bool readByKernel(void *To, uint64_t From, uint64_t Length);
  int pipeTo(int Fd, uint32_t Cookie);
  void closePipe(int Fd);
  bool visit();
  bool openFiles(const std::string &Name);
  int openDescriptor(uint32_t Number, int Flags);

  /// Where the pages of a key lie here: the owner's address of a byte plus Delta. Found without a lock.
  struct Slot {
    std::atomic<uint32_t> Key{0};
    std::atomic<int64_t> Delta{0};
  };
  struct Pipe {
    uint32_t Cookie;
    int File; ///< here
  };
  struct Mapping {
    void *Base;
    size_t Size;
  };

  SharedSegment *Segment = nullptr;
  int Socket = -1, WindowFile = -1;
  pid_t Pid = 0;      ///< as it is seen from here; 0: it is not
  std::string Hidden; ///< the node's name, when it is not
  std::atomic<bool> Gone{false};
  std::mutex Lock;
  SharedVisitor *Visitor = nullptr;             ///< of this process, at the node
  Slot *Slots = nullptr;                        ///< by index of the region; sparse
  std::unordered_map<uint32_t, Mapping> Mapped; ///< by index of the region
  std::unordered_map<int, Pipe> Pipes;          ///< by their number in the owner
  std::deque<int> PipesInOrder;                 ///< in which they were opened
};

} // namespace rdma::device
