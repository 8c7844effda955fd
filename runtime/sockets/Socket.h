// rsockets: the calls of rdma/rsocket.h, streams over a reliable connection.
//
// What is sent is copied into a slot and goes as one message into a posted receive of the other side, which
// hands out its bytes and posts it again. Both rings are of fixed size; a message that finds no receive waits
// in the card (its retries have no end), so a reader that does not read holds up the writer once all slots
// are under way. The immediate number says what a message is.
//
// There is no thread: everything happens in the program's own calls. A call that waits sleeps on the
// descriptors of the completion channel and of the connection manager's events.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <span>
#include <sys/uio.h>
#include <vector>

namespace rdma::sockets {

inline constexpr uint32_t Slots = 64, SlotSize = 16384;

/// What a message is: bytes of the stream, its end, or memory that the other side may write to.
enum class Frame : uint32_t { Data, End, Map };

enum class State { Idle, Bound, Listening, Connecting, Connected, Failed, Over };

/// Memory of the other side, under the offsets that it has given it.
struct RemoteMap {
  uint64_t Offset, Address, Length;
  uint32_t Key;
  uint32_t IsGone;
};

/// Errors are told in errno, and -1, as by the calls of the same name.
class Socket {
public:
  ~Socket();
  Socket(const Socket &) = delete;
  Socket &operator=(const Socket &) = delete;

  /// A new one; its descriptor, or -1.
  static int create(int Family);
  /// Null with errno.
  static std::shared_ptr<Socket> find(int Fd);
  /// The same, for descriptors that may be of another kind.
  static std::shared_ptr<Socket> known(int Fd);

  int bind(const sockaddr *At);
  int listen(int Backlog);
  int accept(sockaddr *From, socklen_t *Size);
  int connect(const sockaddr *To);
  int shutdown(int How);
  /// The descriptor is free.
  int close();

  ssize_t receive(std::span<const iovec> To, int Flags);
  ssize_t send(std::span<const iovec> From, int Flags);

  int64_t map(void *At, size_t Size, int Protection, int64_t Offset);
  int unmap(void *At, size_t Size);
  ssize_t writeMapped(const char *From, size_t Size, uint64_t Offset, int Flags);

  int address(bool Peer, sockaddr *To, socklen_t *Size);
  int setFlags(int Flags);
  int flags();
  int setOption(int Level, int Name, const void *Value, socklen_t Size);
  int option(int Level, int Name, void *Value, socklen_t *Size);

  /// What of Events is so now, as poll(2) has it.
  short ready(short Events);
  /// What to sleep on until that may change.
  void descriptors(std::vector<pollfd> &To);

private:
  struct Message {
    uint32_t Slot, Length, Used;
  };
  using Guard = std::unique_lock<std::mutex>;

  Socket() = default;
  static std::shared_ptr<Socket> enlist(rdma_event_channel *Events);
  bool open();
  int resolve(const sockaddr *To);
  bool setUp();
  void postReceive(uint32_t Slot);

  /// Takes what the connection manager and the card have to say.
  void progress();
  void readEvents();
  void onEvent(const rdma_cm_event &E);
  void onMessage(uint32_t Slot, Frame What, uint32_t Length);
  /// Lets go of the lock for a moment of waiting.
  void pause(Guard &Held);
  /// Until Ready() or there is nothing to wait for any more; false with EAGAIN when the call may not wait.
  template <typename Condition> bool wait(Guard &Held, int Flags, Condition Ready);
  bool canSend() const { return !FreeSlots.empty() || IsBroken; }
  bool canReceive() const { return !Incoming.empty() || PeerEnded || IsBroken || Now != State::Connected; }
  /// Posts what stands in the slot.
  bool post(uint32_t Slot, uint32_t Length, Frame What, const RemoteMap *To = nullptr, uint64_t Offset = 0);
  bool sendFrame(Guard &Held, Frame What, const void *Data, size_t Size);
  void endWriting(Guard &Held);
  void drain(Guard &Held);
  char *slotOut(uint32_t I) const { return Memory + I * size_t(SlotSize); }
  char *slotIn(uint32_t I) const { return slotOut(Slots + I); }
  const RemoteMap *findRemote(uint64_t Offset) const;

  std::mutex Lock;
  State Now = State::Idle;
  rdma_event_channel *Events = nullptr;
  rdma_cm_id *Id = nullptr;
  ibv_comp_channel *Completions = nullptr;
  ibv_cq *Queue = nullptr;
  char *Memory = nullptr; ///< outgoing slots, then incoming ones
  ibv_mr *Region = nullptr;
  int Error = 0; ///< for SO_ERROR
  bool IsBlocking = true, IsBroken = false;
  bool HasSlept = false; ///< on the descriptors
  unsigned Asked = 0;
  bool Ended = false, PeerEnded = false, NoMoreReading = false;
  std::vector<uint32_t> FreeSlots; ///< outgoing
  std::deque<Message> Incoming;
  std::deque<rdma_cm_id *> Requests; ///< of a listener
  std::map<void *, std::pair<ibv_mr *, uint64_t>> Mapped;
  std::vector<RemoteMap> Remote;
  std::map<std::pair<int, int>, int> Options;
};

int failed(int Error);

} // namespace rdma::sockets
