// Sockets for datagrams: a queue pair of type UD for each, and a door at which others learn of it.
//
// A socket holds its port by a name (cm/Ports.h) and listens there. Who sends to an address for the first
// time connects to that name and says which queue pair is its own; the other side answers likewise when its
// program makes a call. What is sent before the answer goes the same way, in the kernel's hands, so that
// nobody waits for a program that does something else. The connection stays: its end says that the other side
// is over, and whoever has the port then is asked anew.
//
// As datagrams everywhere, what finds no receive, or nobody at all, is lost without a word.
#pragma once

#include "runtime/sockets/Socket.h"

#include <deque>
#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <optional>
#include <string>

namespace rdma::sockets {

/// An address of either family; of IPv4, however it was written.
struct Address {
  union {
    sockaddr Any;
    sockaddr_in V4;
    sockaddr_in6 V6 = {};
  };
  Address() = default;
  explicit Address(const sockaddr *At);
  /// As a socket of that family has it.
  Address in(sa_family_t Family) const;
  bool operator<(const Address &Other) const;
  bool operator==(const Address &Other) const { return !(*this < Other) && !(Other < *this); }
};

class Datagrams : public Socket {
public:
  ~Datagrams() override;

  /// A new one; its descriptor, or -1.
  static int create(int Family);

  int bind(const sockaddr *At) override;
  /// From now on to this address and from it alone; AF_UNSPEC: to and from all again.
  int connect(const sockaddr *To) override;
  int shutdown(int How) override;

  ssize_t receive(msghdr &To, int Flags) override;
  ssize_t send(const msghdr &From, int Flags) override;

  int address(bool Peer, sockaddr *To, socklen_t *Size) override;
  short ready(short Events) override;

protected:
  bool progress() override;
  void watch(std::vector<pollfd> &To) override;
  void finish(Guard &Held) override;
  int setOneFamily(int Value) override;
  int bufferSize() const override;

private:
  /// How an address is reached.
  struct Peer {
    int Line = -1; ///< a connection between the doors
    Address Own;   ///< ours, as the other side sees it
    ibv_ah *Way = nullptr;
    uint32_t Lid = 0, QueuePair = 0;
  };
  struct Line {
    int Fd;
    std::optional<Address> Other;
  };
  struct Arrived {
    Address From;
    std::string Data;
  };

  Datagrams() = default;
  bool setUp();
  void postReceive(uint32_t Slot);
  char *slot(uint32_t I) const;
  bool bindAny();
  /// How to get there, asked for when it is not known; null with errno, which is 0 when nobody is there.
  Peer *peerAt(const Address &To);
  bool isReachable(const Address &To) const;
  bool sourceTo(const Address &To, Address &Own) const;
  void forget(const Address &Other, int Line);
  /// Says at a line who we are, with a datagram or without.
  void greet(int Line, const Address &Own, const msghdr *Datagram);
  bool takeCompletions();
  bool takeGreetings();
  void onGreeting(Line &L, const char *At, size_t Size);
  void arrived(const Address &From, const char *At, size_t Size);
  bool post(const Peer &To, const msghdr &From, size_t Size);

  sa_family_t Family = AF_INET;
  ibv_pd *Domain = nullptr;
  ibv_comp_channel *Completions = nullptr;
  ibv_cq *Queue = nullptr;
  ibv_qp *Pair = nullptr;
  char *Memory = nullptr; ///< outgoing slots, then incoming ones
  ibv_mr *Region = nullptr;
  int Door = -1;
  Address Bound;
  std::optional<Address> Connected;
  bool IsOneFamily = false, NoMoreReading = false, NoMoreWriting = false;
  std::vector<uint32_t> FreeSlots; ///< outgoing
  std::map<Address, Peer> Peers;
  std::vector<Line> Lines;
  bool IsAnswerDue = false; ///< of someone who was greeted
  std::deque<Arrived> Incoming;
};

} // namespace rdma::sockets
