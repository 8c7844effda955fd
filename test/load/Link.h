// One side of a connection under load: it posts operations of every kind at random, knows what each of them
// must give, and checks every completion and every message.
//
// The requester owns the sequence numbers. A link's plain writes go to the slot of the next message, which
// announces them; the responder checks slot and message when the message is received, and then gives credit
// by a write. So no slot is written to while it is looked at.
#pragma once

#include "test/load/Host.h"

#include <deque>
#include <optional>
#include <utility>

namespace rdma::load {

inline constexpr uint32_t Slots = 32, Steadies = 8;

/// What the peer of a link writes, reads and counts in.
struct Offered {
  char Written[Slots][SlotSize];
  char Immediate[Slots][SlotSize];
  char Steady[Steadies][SlotSize]; ///< only read
  alignas(8) uint64_t Credit;      ///< messages of ours that the peer has handled
  alignas(8) uint64_t Added, Swapped;
};

/// Streams of stamps; a channel is one direction of a connection.
inline uint64_t messagesOf(uint64_t Channel) { return Channel * 4; }
inline uint64_t writesOf(uint64_t Channel) { return Channel * 4 + 1; }
inline uint64_t steadiesOf(uint64_t Channel) { return Channel * 4 + 2; }

/// Where a side of a connection is; travels between processes.
struct Endpoint {
  test::Address Offered, Common;
};

struct Tally {
  uint64_t Posted = 0, Completed = 0; ///< operations
  uint64_t Messages = 0, Received = 0;
  uint64_t Added = 0, CommonAdded = 0, Swapped = 0,
           CommonSwapped = 0; ///< atomics that took effect at the peer
};

struct Shape {
  Queue *Send = nullptr, *Receive = nullptr;
  ReceivePool *Shared = nullptr; ///< null: receives of its own
  uint32_t Receives = 16;        ///< of its own
  uint32_t Window = 16;          ///< messages under way; more than Receives makes the peer's receives run out
  bool MayFail = false;          ///< because its peer is killed
};

enum class Kind { Write, ReadBack, Read, Add, AddCommon, Swap, SwapCommon, Send, Immediate, Credit, Flush };

class Link {
public:
  Link(Host &H, const Shape &S, uint64_t Seed, std::string Name);

  ~Link();
  Link(const Link &) = delete;
  Link &operator=(const Link &) = delete;

  Endpoint here() const;
  uint32_t number() const { return Qp->qp_num; }
  const ibv_qp *queuePair() const { return Qp; }
  const std::string &name() const { return Name; }
  /// Channels tell the two directions of all connections apart.
  void connect(const Endpoint &There, uint64_t OwnChannel, uint64_t PeerChannel);
  /// From the beginning, after an error: not connected, nothing posted.
  void reset();

  /// Posts a few more operations; false when there is no room, or no credit for what was drawn. Until Limit
  /// of the tally's operations.
  bool post(uint64_t Limit);
  /// Gives back credit when there is room, however little there is to give.
  void settleCredit();
  /// After Limit operations: a last request pushes everything before it into the peer's memory. True when it
  /// is done.
  bool finish(uint64_t Limit);

  /// One more request when there is room, to see whether the peer is still there.
  void ask();

  void completed(const ibv_wc &Wc);
  void received(const ibv_wc &Wc);

  /// The error that a dead peer causes has been seen, and what was behind it flushes.
  bool down() const { return Down; }
  /// The device says that no shared receive will complete for this link any more.
  void lastReached() { LastReached = true; }
  /// Nothing more will come of a link that is down.
  bool drained() const;
  bool connected() const { return Connected; }
  uint32_t receivesPosted() const { return Own ? Own->posted() : 0; }

  const Tally &tally() const { return Count; }
  const Offered &memory() const { return *Mine; }
  std::string state() const; ///< for the line about a link that is stuck
  std::mutex Lock;           ///< for the callers: of everything here

private:
  struct Request {
    uint64_t Id;
    Kind What;
    bool Signaled;
    uint32_t Length = 0;
    uint64_t Expected = 0;
  };
  struct Prepared {
    ibv_sge Parts[4];
    ibv_send_wr Wr;
  };

  void createQueuePair(const Shape &S);
  Kind draw();
  bool allowed(Kind K) const;
  void prepare(Kind K, Prepared &P);
  void prepareWrite(Prepared &P, Request &R, char *At);
  void prepareMessage(Prepared &P, Request &R, char *At, bool Immediate);
  void prepareAtomic(Prepared &P, Request &R);
  void scatter(Prepared &P, char *At, uint32_t Length);
  void submit(Prepared *First, uint32_t Number);
  bool creditDue(uint32_t AtLeast) const;
  void verify(const Request &R);
  void verifyAnnounced(const Stamp &S);
  void fail(const ibv_wc &Wc);
  [[noreturn]] void wrongHere(const std::string &What) const;
  char *bufferOf(uint64_t Id) { return Buffers.get() + Id % Depth * SlotSize; }
  uint64_t credit() const { return __atomic_load_n(&Mine->Credit, __ATOMIC_ACQUIRE); }

  Host &Of;
  std::string Name;
  Random Draw;
  ibv_qp *Qp = nullptr;
  ReceivePool *Pool = nullptr;
  std::unique_ptr<ReceivePool> Own;
  uint32_t Window;
  bool MayFail;
  std::unique_ptr<Offered> Mine;
  std::unique_ptr<char[]> Buffers;
  ibv_mr *MineRegion, *BuffersRegion;
  Endpoint There = {};
  uint64_t Channel = 0, PeerChannel = 0;

  bool Connected = false, Down = false, FlushPosted = false, Flushed = false, LastReached = false;
  std::deque<Request> Outstanding;
  uint64_t NextId = 0, SinceSignaled = 0;
  Tally Count;
  uint64_t CreditSent = 0;
  std::optional<Kind> Drawn;   ///< what comes next, when there was no credit for it
  Stamp LastWrite;             ///< to the slot of the next message; Length 0: none
  bool ReadBackPosted = false; ///< since then: the next write must not overtake it
  uint64_t CommonSeen = 0, SwapSeen = 0;
};

} // namespace rdma::load
