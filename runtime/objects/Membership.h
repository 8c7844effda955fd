// What a manager keeps about set-up: the device, the arena, the control links to every node, and what the
// channels of other nodes have offered. One service thread accepts connections and takes messages; it never
// sends.
#pragma once

#include "rdma/objects/channel.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <rdma/rdma_cma.h>
#include <set>
#include <thread>

namespace rdma::objects {

using steady = std::chrono::steady_clock;

/// First words of every connection, in its private data. Sent as the host writes it: nodes are of one kind.
struct hello {
  static constexpr std::uint32_t OurMagic = 0x4f424a31;
  enum kind : std::uint8_t { Control, Data, Refusal };
  std::uint32_t Magic = OurMagic;
  std::uint8_t Kind = Control, Node = 0;
  std::uint16_t Nodes = 0, Threads = 0, Reason = 0;
  std::uint32_t Rkey = 0;
  std::uint64_t Landmark = 0; ///< address of a word that nobody uses: what a fence reads
};
static_assert(sizeof(hello) <= 56, "the private data of a request");

/// A channel as another node has it.
struct announcement {
  std::map<std::string, remote> Regions;
  std::map<std::string, std::uint64_t> Agreed;
};

/// One control connection.
struct link {
  static constexpr std::size_t MessageSize = 4096, Receives = 32;
  rdma_cm_id *Id = nullptr; ///< once it is established
  ibv_qp *Qp = nullptr;     ///< from when it has receives: messages may come before this side knows of Id
  ibv_cq *Sent = nullptr, *Received = nullptr;
  ibv_comp_channel *Arrivals = nullptr;
  std::vector<std::byte> Buffers; ///< receives, then the one that is sent
  ibv_mr *Mr = nullptr;
  hello Peer;
  bool Up = false, Left = false, Lost = false;
  bool Early = false; ///< it said that it goes before set-up is over, for a reason of its own
  std::atomic<std::uint32_t> Number{0}; ///< of its queue pair; those of attempts that failed had others
  std::atomic<std::size_t> Open{0};     ///< its receives that have not completed
  bool Ending = false;                  ///< the service thread's: taken receives are not posted again
  std::size_t Announced = 0;            ///< messages of ToSend that this node has been sent
};

struct membership {
  explicit membership(manager &Manager);
  ~membership();
  void start(const std::map<node_id, std::string> &Hosts);

  // Set-up, called by the program's threads.
  void waitForReady(std::chrono::milliseconds Timeout);
  void add(channel &Channel);
  void remove(channel &Channel);
  bool ready(channel &Channel); ///< fills the wishes in
  void sayGoodbye(std::chrono::milliseconds Timeout);
  void giveUp(const std::string &Why);
  /// Tells the others that a node gave up or was lost, lest they hear first that this one has gone for
  /// that; and where set-up is not over, that it goes.
  void passOn();
  /// A data queue pair to that node, in rdma_cm's hands. Throws error.
  rdma_cm_id *connectData(node_id Node, ibv_cq *Cq, std::uint32_t Depth);

  remote landmark(node_id Node) const;
  const std::string &host(node_id Node) const { return Hosts[Node]; }

  manager &Manager;
  std::vector<std::string> Hosts;
  rdma_event_channel *Events = nullptr;
  rdma_cm_id *Listener = nullptr;
  ibv_context *Verbs = nullptr;
  ibv_pd *Pd = nullptr;
  std::byte *Arena = nullptr;
  std::size_t ArenaSize = 0, ArenaUsed = 0;
  ibv_mr *Mr = nullptr;
  bool Failed = false;      ///< set-up threw: nobody is waited for
  bool Ready = false;       ///< it did not, once
  bool SaysGoodbye = false; ///< guarded by Lock
  std::vector<std::unique_ptr<endpoint>> Attached;
  std::mutex Lock;           ///< of everything below and of the links' states
  std::string GivenUp;       ///< why this node or another did, first of all
  std::vector<bool> Numbers; ///< of threads, which are attached
  std::vector<region> Spare; ///< words of endpoints that are gone

private:
  void openDevice();
  void mapArena();
  hello ownHello(hello::kind Kind) const;

  // Connections, Connect.cpp.
  rdma_cm_id *connect(node_id Node, hello::kind Kind, ibv_cq *Send, ibv_cq *Receive, std::uint32_t Depth,
                      steady::time_point Until);
  /// False when the node has not come by then. Throws error.
  bool connectControl(node_id Node, steady::time_point Until);
  void prepare(link &L);
  void postReceive(link &L, ibv_qp *Qp, std::size_t Index);
  void postReceives(link &L, ibv_qp *Qp);
  void drain(node_id From);
  rdma_cm_id *idOf(node_id Node);
  void release(link &L);

  // The service thread, Service.cpp.
  void serve();
  void handleEvent(rdma_cm_event &Event);
  void admit(rdma_cm_id *Id, const hello &From);
  void refuse(rdma_cm_id *Id, std::uint16_t Reason, const hello &From);
  bool letGo(rdma_cm_id *Id);
  void takeArrivals(node_id From);
  void takeMessages(node_id From);
  void takeMessage(node_id From, const std::byte *Data, std::size_t Size);

  // Messages.
  void sendAll(std::uint8_t Kind); ///< a message of one byte
  bool send(link &L, const std::vector<std::byte> &Message);
  std::vector<std::byte> describe(const channel &Channel) const;
  void announce();
  error absence(node_id Node) const;
  /// Throws error. With Lock held.
  void requireNobodyGaveUp() const;
  /// Throws error: a node has ended without a word, and the others are told.
  void requireNobodyLost();
  /// With Lock held.
  void noteLost(node_id Node);
  /// What has not come yet: a node, or a channel of one. Throws error: it will not.
  std::optional<error> missingNode();
  std::optional<error> missingChannel();
  /// Fills the wishes in as far as the offers go; a node whose offer has not come. With Lock held.
  std::optional<node_id> lacking(channel &Channel);
  void compare(const channel &Channel, node_id Peer, const announcement &Offer) const;

  std::vector<link> Links;
  std::map<std::pair<std::string, node_id>, announcement> Offers;
  std::set<std::string> Names;
  std::vector<channel *> Channels;            ///< that exist
  std::vector<std::vector<std::byte>> ToSend; ///< descriptions of all channels ever joined, and the end
  std::string SetupError;
  node_id SetupPeer = error::no_peer;
  node_id GivenUpBy = error::no_peer; ///< when it is another
  node_id LostFirst = error::no_peer; ///< that ended without a word
  std::vector<rdma_cm_id *> Accepted; ///< of other nodes' endpoints that there are now, and of this one's
  ibv_cq *Passive = nullptr;
  std::condition_variable Changed;
  std::mutex Sending;
  int Wake = -1;
  std::atomic<bool> Stop{false};
  std::thread Service;
};

/// Reasons of a refusal.
enum : std::uint16_t { WrongNodes = 1, WrongThreads = 2, WrongNumber = 3 };

} // namespace rdma::objects
