#include "Membership.h"

#include <cerrno>
#include <cstring>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

namespace rdma::objects {

namespace {

constexpr int AllAccess =
    static_cast<int>(IBV_ACCESS_LOCAL_WRITE) | static_cast<int>(IBV_ACCESS_REMOTE_READ) |
    static_cast<int>(IBV_ACCESS_REMOTE_WRITE) | static_cast<int>(IBV_ACCESS_REMOTE_ATOMIC);
constexpr std::size_t PageSize = 4096, HugePageSize = std::size_t(2) << 20;
constexpr std::uint64_t PollsBeforeRest = 64;
constexpr std::uint8_t AnnounceKind = 'A', GoodbyeKind = 'G', GiveUpKind = 'U', LostKind = 'L',
                       EarlyKind = 'E';

template <class T> void append(std::vector<std::byte> &To, const T &Value) {
  auto *Bytes = reinterpret_cast<const std::byte *>(&Value);
  To.insert(To.end(), Bytes, Bytes + sizeof Value);
}

void append(std::vector<std::byte> &To, const std::string &Text) {
  append(To, static_cast<std::uint16_t>(Text.size()));
  auto *Bytes = reinterpret_cast<const std::byte *>(Text.data());
  To.insert(To.end(), Bytes, Bytes + Text.size());
}

/// Reads what append wrote; a message that ends too early gives zeros and is not Good.
struct reader {
  const std::byte *At, *End;
  bool Good = true;
  template <class T> T take() {
    T Value{};
    if (static_cast<std::size_t>(End - At) < sizeof Value)
      return Good = false, Value;
    std::memcpy(&Value, At, sizeof Value);
    At += sizeof Value;
    return Value;
  }
  std::string takeText() {
    std::size_t Size = take<std::uint16_t>();
    if (static_cast<std::size_t>(End - At) < Size)
      return Good = false, std::string();
    std::string Text(reinterpret_cast<const char *>(At), Size);
    At += Size;
    return Text;
  }
};

[[noreturn]] void systemError(const std::string &What) { throw error(What + ": " + std::strerror(errno)); }

} // namespace

membership::membership(manager &Manager) : Manager(Manager) {}

void membership::start(const std::map<node_id, std::string> &Given) {
  for (const auto &[Node, Host] : Given)
    if (Node != Hosts.size())
      throw error("nodes are not numbered from 0 on: there is no node " + std::to_string(Hosts.size()));
    else
      Hosts.push_back(Host);
  if (Manager.me() >= Hosts.size() || Hosts.size() > max_nodes)
    throw error("node " + std::to_string(Manager.me()) + " is not one of the " +
                std::to_string(Hosts.size()) + " nodes");
  Links = std::vector<link>(Hosts.size());
  openDevice();
  mapArena();
  Passive = ibv_create_cq(Verbs, 16, nullptr, nullptr, 0);
  Wake = eventfd(0, EFD_CLOEXEC);
  if (!Passive || Wake < 0)
    systemError("completion queue");
  for (node_id N = 0; N < Links.size(); ++N)
    if (N != Manager.me())
      prepare(Links[N]);
  Service = std::thread([this] { serve(); });
}

void membership::mapArena() {
  bool Huge = Manager.settings().huge_pages;
  std::size_t Unit = Huge ? HugePageSize : PageSize;
  ArenaSize = (Manager.settings().memory + Unit - 1) / Unit * Unit;
  void *At = mmap(nullptr, ArenaSize, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | (Huge ? MAP_HUGETLB : 0), -1, 0);
  if (At == MAP_FAILED)
    systemError("memory of the arena");
  Arena = static_cast<std::byte *>(At);
  Mr = ibv_reg_mr(Pd, Arena, ArenaSize, AllAccess);
  if (!Mr)
    systemError("registering the arena");
  ArenaUsed = line_size; // the landmark
}

hello membership::ownHello(hello::kind Kind) const {
  hello H;
  H.Kind = Kind;
  H.Node = static_cast<std::uint8_t>(Manager.me());
  H.Nodes = static_cast<std::uint16_t>(Hosts.size());
  H.Threads = static_cast<std::uint16_t>(Manager.threads());
  H.Rkey = Mr->rkey;
  H.Landmark = reinterpret_cast<std::uintptr_t>(Arena);
  return H;
}

remote membership::landmark(node_id Node) const {
  const hello Own = ownHello(hello::Data);
  const hello &H = Node == Manager.me() ? Own : Links[Node].Peer;
  return {Node, H.Landmark, H.Rkey, sizeof(word)};
}

void membership::add(channel &Channel) {
  std::vector<std::byte> Message = describe(Channel);
  {
    std::lock_guard Guard(Lock);
    if (!Names.insert(Channel.Name).second)
      throw error("channel '" + Channel.Name + "' exists already on node " + std::to_string(Manager.me()),
                  Channel.Name);
    Channels.push_back(&Channel);
    ToSend.push_back(std::move(Message));
  }
  announce();
}

void membership::remove(channel &Channel) {
  std::lock_guard Guard(Lock);
  std::erase(Channels, &Channel);
}

std::vector<std::byte> membership::describe(const channel &Channel) const {
  std::vector<std::byte> Message{std::byte(AnnounceKind)};
  append(Message, Channel.Name);
  append(Message, Mr->rkey);
  append(Message, static_cast<std::uint16_t>(Channel.Offers.size()));
  for (const channel::offer &O : Channel.Offers) {
    append(Message, O.Name);
    append(Message, reinterpret_cast<std::uint64_t>(O.At.data));
    append(Message, static_cast<std::uint64_t>(O.At.size));
  }
  append(Message, static_cast<std::uint16_t>(Channel.Agreed.size()));
  for (const channel::promise &P : Channel.Agreed) {
    append(Message, P.What);
    append(Message, P.Value);
  }
  if (Message.size() > link::MessageSize)
    throw error("channel '" + Channel.Name + "' has too many regions", Channel.Name);
  return Message;
}

void membership::takeMessage(node_id From, const std::byte *Data, std::size_t Size) {
  reader In{Data, Data + Size};
  std::lock_guard Guard(Lock);
  std::uint8_t Kind = In.take<std::uint8_t>();
  if (Kind == GoodbyeKind)
    Links[From].Left = true;
  if (Kind == EarlyKind)
    Links[From].Early = true;
  if (node_id Node; Kind == LostKind && (Node = In.take<std::uint8_t>()) < Links.size()) {
    noteLost(Node);
    Manager.lose(Node);
  }
  if (Kind == GiveUpKind) {
    if (GivenUp.empty()) {
      GivenUpBy = In.take<std::uint8_t>();
      GivenUp = "node " + std::to_string(GivenUpBy) + " gave up: " + In.takeText();
      ToSend.emplace_back(Data, Data + Size); // to be passed on, before this node goes
    }
    Manager.lose(From);
  }
  if (Kind == AnnounceKind) {
    std::string Name = In.takeText();
    auto Rkey = In.take<std::uint32_t>();
    announcement A;
    for (unsigned Left = In.take<std::uint16_t>(); Left && In.Good; --Left) {
      std::string Region = In.takeText();
      std::uint64_t Address = In.take<std::uint64_t>(), Bytes = In.take<std::uint64_t>();
      A.Regions[Region] = {From, Address, Rkey, Bytes};
    }
    for (unsigned Left = In.take<std::uint16_t>(); Left && In.Good; --Left) {
      std::string What = In.takeText();
      A.Agreed[What] = In.take<std::uint64_t>();
    }
    if (In.Good)
      Offers[{Name, From}] = std::move(A);
  }
  Changed.notify_all();
}

/// Once: what else goes wrong comes of the first.
void membership::giveUp(const std::string &Why) {
  constexpr std::size_t Most = link::MessageSize / 2;
  std::vector<std::byte> Message{std::byte(GiveUpKind)};
  append(Message, static_cast<std::uint8_t>(Manager.me()));
  append(Message, Why.substr(0, Most));
  {
    std::lock_guard Guard(Lock);
    if (!GivenUp.empty())
      return;
    GivenUp = Why;
    ToSend.push_back(std::move(Message));
  }
  Changed.notify_all();
  announce();
}

/// Others may have met nobody else who knows.
void membership::noteLost(node_id Node) {
  if (LostFirst != error::no_peer)
    return;
  LostFirst = Node;
  ToSend.push_back({std::byte(LostKind), std::byte(Node)});
}

void membership::passOn() {
  std::unique_lock Guard(Lock);
  bool Any = !GivenUp.empty() || LostFirst != error::no_peer;
  Guard.unlock();
  if (Any)
    announce();
  if (!Ready)
    sendAll(EarlyKind);
}

/// Tells every node the channels it has not been told of, and that this one gives up.
void membership::announce() {
  std::lock_guard OneAtATime(Sending);
  for (link &L : Links)
    for (;;) {
      std::vector<std::byte> Message;
      {
        std::lock_guard Guard(Lock);
        if (!L.Up || L.Lost || L.Announced == ToSend.size())
          break;
        Message = ToSend[L.Announced++];
      }
      if (!send(L, Message))
        break;
    }
}

void membership::sendAll(std::uint8_t Kind) {
  std::lock_guard OneAtATime(Sending);
  for (link &L : Links) {
    std::unique_lock Guard(Lock);
    bool Here = L.Up && !L.Lost;
    Guard.unlock();
    if (Here)
      (void)send(L, {std::byte(Kind)});
  }
}

bool membership::send(link &L, const std::vector<std::byte> &Message) {
  std::byte *Buffer = L.Buffers.data() + link::Receives * link::MessageSize;
  std::memcpy(Buffer, Message.data(), Message.size());
  ibv_sge Sge = {reinterpret_cast<std::uintptr_t>(Buffer), static_cast<std::uint32_t>(Message.size()),
                 L.Mr->lkey};
  ibv_send_wr Request = {}, *Bad;
  Request.opcode = IBV_WR_SEND;
  Request.send_flags = IBV_SEND_SIGNALED;
  Request.sg_list = &Sge;
  Request.num_sge = 1;
  if (ibv_post_send(L.Id->qp, &Request, &Bad))
    return false;
  ibv_wc Completion;
  int Count;
  for (std::uint64_t Empty = 1; (Count = ibv_poll_cq(L.Sent, 1, &Completion)) == 0; ++Empty)
    if (Empty % PollsBeforeRest == 0)
      rest(Empty / PollsBeforeRest);
  return Count == 1 && Completion.status == IBV_WC_SUCCESS;
}

/// Two nodes with different hosts of one lock would each have a lock of its own.
void membership::compare(const channel &Channel, node_id Peer, const announcement &Offer) const {
  auto Left = Offer.Agreed;
  for (const channel::promise &P : Channel.Agreed) {
    auto Theirs = Offer.Agreed.find(P.What);
    if (Theirs == Offer.Agreed.end() || Theirs->second != P.Value)
      Channel.refuse("has " +
                         (Theirs == Offer.Agreed.end() ? "no " + P.What
                                                       : P.What + " " + std::to_string(Theirs->second)) +
                         ", this node " + P.What + " " + std::to_string(P.Value),
                     Peer);
    Left.erase(P.What);
  }
  for (const auto &[What, Value] : Left)
    Channel.refuse("has " + What + " " + std::to_string(Value) + ", this node none", Peer);
}

std::optional<node_id> membership::lacking(channel &Channel) {
  std::optional<node_id> First;
  for (node_id N : Channel.Peers.without(Manager.me()))
    if (auto Offer = Offers.find({Channel.Name, N}); Offer != Offers.end())
      compare(Channel, N, Offer->second);
    else if (!First)
      First = N;
  for (channel::wish &W : Channel.Wishes) {
    node_id Node = W.Found.node;
    if (Node == Manager.me() || W.Found.rkey)
      continue;
    auto Offer = Offers.find({Channel.Name, Node});
    if (Offer == Offers.end()) {
      First = First.value_or(Node);
      continue;
    }
    auto Region = Offer->second.Regions.find(W.Name);
    if (Region == Offer->second.Regions.end())
      Channel.refuse("has no region '" + W.Name + "'", Node);
    if (Region->second.size != W.Size)
      Channel.refuse("has " + std::to_string(Region->second.size) + " bytes in region '" + W.Name + "', " +
                         std::to_string(W.Size) + " on this node",
                     Node);
    W.Found = Region->second;
  }
  return First;
}

bool membership::ready(channel &Channel) {
  std::lock_guard Guard(Lock);
  return !lacking(Channel);
}

error membership::absence(node_id Node) const {
  return {"node " + std::to_string(Node) + " (" + Hosts[Node] + ") is missing", {}, Node};
}

void membership::requireNobodyGaveUp() const {
  if (!GivenUp.empty())
    throw error(GivenUp, {}, GivenUpBy);
}

void membership::requireNobodyLost() {
  std::unique_lock Guard(Lock);
  node_id Node = LostFirst;
  if (Node == error::no_peer)
    return;
  Guard.unlock();
  announce();
  throw error("node " + std::to_string(Node) + " (" + Hosts[Node] + ") was lost during set-up", {}, Node);
}

std::optional<error> membership::missingNode() {
  {
    std::lock_guard Guard(Lock);
    if (!SetupError.empty())
      throw error(SetupError, {}, SetupPeer);
    requireNobodyGaveUp();
  }
  requireNobodyLost();
  std::lock_guard Guard(Lock);
  for (node_id N = 0; N < Links.size(); ++N)
    if (N != Manager.me() && !Links[N].Up)
      return absence(N);
  return {};
}

std::optional<error> membership::missingChannel() {
  std::lock_guard Guard(Lock);
  std::optional<error> First;
  for (channel *C : Channels) // of all, for one that does not fit is why a node goes
    if (std::optional<node_id> N = lacking(*C); N && !First) {
      if (Links[*N].Lost)
        First = error("node " + std::to_string(*N) + " was lost during set-up", C->Name, *N);
      else
        First = error("channel '" + C->Name + "' is missing on node " + std::to_string(*N), C->Name, *N);
    }
  // Where another one was lost, this one has perhaps gone for that.
  if (First && Links[First->peer].Lost && LostFirst == error::no_peer)
    throw error(*First);
  return First;
}

void membership::waitForReady(std::chrono::milliseconds Timeout) try {
  auto Until = steady::now() + Timeout;
  auto GiveUp = [&](const error &Missing) {
    throw error(Missing.what() + (" after " + std::to_string(Timeout.count())) + " ms", Missing.channel,
                Missing.peer);
  };
  for (node_id N = 0; N < Manager.me(); ++N)
    if (!Links[N].Id && !connectControl(N, Until))
      GiveUp(absence(N));
  for (std::optional<error> Missing; (Missing = missingNode()) || (announce(), Missing = missingChannel());) {
    std::unique_lock Guard(Lock);
    if (steady::now() >= Until)
      GiveUp(*Missing);
    Changed.wait_for(Guard, std::chrono::milliseconds(20));
  }
  Ready = true;
} catch (...) {
  Failed = true;
  throw;
}

void membership::sayGoodbye(std::chrono::milliseconds Timeout) {
  {
    std::lock_guard Guard(Lock);
    SaysGoodbye = true; // from now on others may go
  }
  sendAll(GoodbyeKind);
  auto Until = steady::now() + Timeout;
  std::unique_lock Guard(Lock);
  Changed.wait_until(Guard, Until, [&] {
    for (const link &L : Links)
      if (L.Up && !L.Left && !L.Lost)
        return false;
    return true;
  });
}

membership::~membership() {
  Attached.clear();
  if (Service.joinable()) {
    Stop = true;
    std::uint64_t One = 1;
    (void)!write(Wake, &One, sizeof One);
    Service.join();
  }
  for (link &L : Links)
    release(L);
  for (rdma_cm_id *Id : Accepted) {
    rdma_destroy_qp(Id);
    rdma_destroy_id(Id);
  }
  if (Passive)
    ibv_destroy_cq(Passive);
  if (Mr)
    ibv_dereg_mr(Mr);
  if (Pd)
    ibv_dealloc_pd(Pd);
  if (Listener)
    rdma_destroy_id(Listener);
  if (Events)
    rdma_destroy_event_channel(Events);
  if (Arena)
    munmap(Arena, ArenaSize);
  if (Wake >= 0)
    close(Wake);
}

} // namespace rdma::objects
