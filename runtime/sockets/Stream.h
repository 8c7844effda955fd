// Streams over a reliable connection.
//
// What is sent is copied into a slot and goes as one message into a posted receive of the other side, which
// hands out its bytes and posts it again. Both rings are of fixed size; a message that finds no receive waits
// in the card (its retries have no end), so a reader that does not read holds up the writer once all slots
// are under way. The immediate number says what a message is.
#pragma once

#include "runtime/sockets/Socket.h"

#include <cstdint>
#include <deque>
#include <rdma/rdma_cma.h>

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

class Stream : public Socket {
public:
  ~Stream() override;

  /// A new one; its descriptor, or -1.
  static int create();

  int bind(const sockaddr *At) override;
  int listen(int Backlog) override;
  int accept(sockaddr *From, socklen_t *Size) override;
  int connect(const sockaddr *To) override;
  int shutdown(int How) override;

  ssize_t receive(msghdr &To, int Flags) override;
  ssize_t send(const msghdr &From, int Flags) override;

  int64_t map(void *At, size_t Size, int Protection, int64_t Offset) override;
  int unmap(void *At, size_t Size) override;
  ssize_t writeMapped(const char *From, size_t Size, uint64_t Offset, int Flags) override;

  int address(bool Peer, sockaddr *To, socklen_t *Size) override;
  short ready(short Events) override;

protected:
  bool progress() override;
  void watch(std::vector<pollfd> &To) override;
  void finish(Guard &Held) override;
  int setOneFamily(int Value) override;
  int bufferSize() const override { return int(Slots * SlotSize); }

private:
  struct Message {
    uint32_t Slot, Length, Used;
  };

  Stream() = default;
  static std::shared_ptr<Stream> begin(rdma_event_channel *Events);
  int resolve(const sockaddr *To);
  bool setUp();
  void postReceive(uint32_t Slot);

  bool readEvents();
  void onEvent(const rdma_cm_event &E);
  void onMessage(uint32_t Slot, Frame What, uint32_t Length);
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

  State Now = State::Idle;
  rdma_event_channel *Events = nullptr;
  rdma_cm_id *Id = nullptr;
  ibv_comp_channel *Completions = nullptr;
  ibv_cq *Queue = nullptr;
  char *Memory = nullptr; ///< outgoing slots, then incoming ones
  ibv_mr *Region = nullptr;
  bool IsBroken = false;
  bool Ended = false, PeerEnded = false, NoMoreReading = false;
  std::vector<uint32_t> FreeSlots; ///< outgoing
  std::deque<Message> Incoming;
  std::deque<rdma_cm_id *> Requests; ///< of a listener
  std::map<void *, std::pair<ibv_mr *, uint64_t>> Mapped;
  std::vector<RemoteMap> Remote;
};

} // namespace rdma::sockets
