#include "runtime/device/Node.h"

#include "runtime/device/AbstractName.h"
#include "runtime/device/Choices.h"
#include "runtime/device/Descriptors.h"
#include "runtime/device/OwnMapping.h"
#include "runtime/device/Presence.h"
#include "runtime/device/Weak.h"

#include <arpa/inet.h>
#include <bit>
#include <charconv>
#include <endian.h>
#include <fcntl.h>
#include <fstream>
#include <new>
#include <poll.h>
#include <set>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace rdma::device {

namespace {

std::atomic<Node *> Nodes[MaxNodes];
std::mutex JoinLock;
std::mutex ForkLock; ///< held while a thread forks
int ForkPipe[2] = {-1, -1};

/// Of the process, for all its nodes: a page has one place in it, whoever offers it to peers.
Window *TheWindow = nullptr;

Window &window() {
  if (!TheWindow)
    TheWindow = new Window;
  return *TheWindow;
}

[[noreturn]] void fail(const char *What) { throw std::system_error(errno, std::generic_category(), What); }

std::string namePrefix() { return "rdma/" + std::to_string(geteuid()) + "/" + Settings::get().Fabric + "/"; }

std::string nameOf(uint32_t Lid) { return namePrefix() + std::to_string(Lid); }

/// Holds the name of a node: a listening socket, or -1 with errno when the name is taken.
int hold(const std::string &Name) {
  int Socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int Error = withName(bind, Socket, Name);
  if (!Error && listen(Socket, 4096))
    Error = errno;
  if (!Error)
    return Socket;
  close(Socket);
  errno = Error;
  return -1;
}

} // namespace

uint32_t IndexPool::take() {
  std::lock_guard Guard(Lock);
  constexpr size_t Resting = 1024;
  if (Next < Size && Returned.size() < Resting)
    return Next++;
  if (Returned.empty())
    return Full;
  uint32_t Index = Returned.front();
  Returned.pop_front();
  return Index;
}

void IndexPool::giveBack(uint32_t Index) {
  std::lock_guard Guard(Lock);
  Returned.push_back(Index);
}

uint32_t IndexPool::end() {
  std::lock_guard Guard(Lock);
  return Next;
}

Node &Node::of(unsigned Device) {
  std::lock_guard Guard(JoinLock);
  if (Node *Known = joined(Device))
    return *Known;
  Nodes[Device].store(new Node, std::memory_order_release);
  WeakScheduler::start(joined(Device)->lid());
  if (isContained())
    Service::get().serve();
  return *joined(Device);
}

Node *Node::joined(unsigned Device) { return Nodes[Device].load(std::memory_order_acquire); }

Node::Node() : Memory(rdma::device::window()) {
  // Lets peers copy to and from memory that cannot be moved into the window, where the kernel restricts that.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  std::string Name;
  for (uint32_t Tried = 0; Membership < 0; ++Tried) {
    if (Tried == MaxLid)
      throw std::system_error(EADDRNOTAVAIL, std::generic_category(), "every address of the fabric is taken");
    Name = nameOf(1 + (Settings::get().FirstLid - 1 + Tried) % MaxLid);
    Membership = hold(Name);
    if (Membership < 0 && errno != EADDRINUSE)
      fail("join the fabric");
  }
  // Peers may find the name from now on, but no segment yet: to them the node has not joined.
  createSegment(Name);
  Self = Peer::self(Segment);
  static int Once = pthread_atfork(beforeFork, afterForkInParent, afterForkInChild);
  (void)Once;
}

void Node::createSegment(const std::string &Name) {
  SegmentFile = memfd_create(Name.c_str(), MFD_CLOEXEC);
  if (SegmentFile < 0 || ftruncate(SegmentFile, sizeof(SharedSegment)))
    fail("create the node's segment");
  void *At = mapOwn(SegmentFile, sizeof(SharedSegment), 0);
  if (!At)
    fail("map the node's segment");
  // All zeros is the initial state of every table.
  Segment = static_cast<SharedSegment *>(At);
  Segment->Version = SegmentVersion;
  Segment->Pid = processId();
  Segment->Lid = static_cast<uint32_t>(atoi(Name.c_str() + Name.rfind('/') + 1));
  Segment->WindowFd = Memory.fd();
  Segment->MakesBarriers = Presence::join();
  Segment->Inbound.Head = Segment->Inbound.Tail = 1; // no ticket is 0
  Segment->Alive = 1;
  std::atomic_thread_fence(std::memory_order_release);
  Segment->Magic = SegmentMagic;
  HeapNext = offsetof(SharedSegment, Heap);
  FirstGeneration = static_cast<uint32_t>(scatterBits({fabricNumber(Settings::get().Fabric), Segment->Lid}));
}

/// Peers that have connected to the name, lest they fill its queue. A connection is kept as long as the peer
/// keeps it: its end tells the peer that this process is gone. Some ask for files.
void Node::admitCallers() {
  std::lock_guard Guard(CallersLock);
  for (int Caller; (Caller = accept4(Membership, nullptr, nullptr, SOCK_CLOEXEC)) >= 0;)
    Callers.push_back({Caller, POLLIN, 0});
  if (poll(Callers.data(), Callers.size(), 0) > 0)
    std::erase_if(Callers, [this](const pollfd &Caller) {
      return Caller.revents && !descriptors::answer(Caller.fd, SegmentFile, Memory.fd()) &&
             close(Caller.fd) == 0;
    });
}

void Node::appendCallers(std::vector<pollfd> &To) {
  std::lock_guard Guard(CallersLock);
  To.push_back({Membership, POLLIN, 0});
  To.insert(To.end(), Callers.begin(), Callers.end());
}

std::vector<uint32_t> Node::everyLid() const {
  std::ifstream Names("/proc/net/unix");
  std::string Prefix = " @" + namePrefix();
  std::set<uint32_t> Found;
  for (std::string Line; std::getline(Names, Line);) {
    size_t At = Line.find(Prefix);
    if (At == std::string::npos)
      continue;
    const char *Begin = Line.data() + At + Prefix.size(), *End = Line.data() + Line.size();
    uint32_t Lid = 0;
    if (auto [Stopped, Error] = std::from_chars(Begin, End, Lid); Error == std::errc() && Stopped == End)
      Found.insert(Lid);
  }
  return {Found.begin(), Found.end()};
}

std::shared_ptr<Peer> Node::peer(uint32_t Lid) {
  for (auto &Here : Nodes)
    if (Node *N = Here.load(std::memory_order_acquire); N && N->lid() == Lid)
      return N->Self;
  std::lock_guard Guard(Lock);
  admitCallers();
  std::weak_ptr<Peer> &Known = Peers[Lid];
  std::shared_ptr<Peer> P = Known.lock();
  // The LID of a process that is gone may have a new holder.
  if (P && P->checkAlive())
    return P;
  P = Peer::connect(nameOf(Lid));
  if (P)
    Service::get().watch(P);
  Known = P;
  return P;
}

uint64_t Node::allocate(uint64_t Size) {
  Size = std::bit_ceil(std::max<uint64_t>(Size, 4096));
  std::lock_guard Guard(Lock);
  if (auto &Free = HeapFree[Size]; !Free.empty()) {
    uint64_t Offset = Free.back();
    Free.pop_back();
    return Offset;
  }
  if (HeapNext + Size > sizeof(SharedSegment))
    return 0;
  return std::exchange(HeapNext, HeapNext + Size);
}

void Node::release(uint64_t Offset, uint64_t Size) {
  Size = std::bit_ceil(std::max<uint64_t>(Size, 4096));
  std::lock_guard Guard(Lock);
  HeapFree[Size].push_back(Offset);
}

static uint32_t keyOf(uint32_t Region, uint32_t Generation) { return Region << GenerationBits | Generation; }

uint32_t Node::nextKey(uint32_t Region) {
  SharedRegion &R = Segment->Regions[Region];
  if (!R.Generation)
    R.Generation = FirstGeneration & 0xffff;
  R.Generation = (R.Generation + 1) & 0xffff;
  return keyOf(Region, R.Generation);
}

uint32_t Node::nextWindowKey(uint32_t Region) {
  SharedRegion &R = Segment->Regions[Region];
  R.Generation = ((R.Generation ? R.Generation : FirstGeneration) + 0x100) & 0xff00;
  uint32_t Key = keyOf(Region, R.Generation);
  R.Generation |= 0xff; // what comes next differs in more than that byte
  return Key;
}

/// The child is none of the nodes: it lets go of the names, and what it writes to once registered memory
/// stays its own. It joins as a new node when it opens a device again.
void Node::beforeFork() {
  ForkLock.lock();
  if (pipe2(ForkPipe, O_CLOEXEC))
    ForkPipe[0] = ForkPipe[1] = -1;
}

/// Until the child has its own copy of registered memory, the two share it, the heap perhaps: the parent
/// waits. The pipe ends when the child has done that, or is dead, or was never born.
void Node::afterForkInParent() {
  close(ForkPipe[1]);
  pollfd Poll = {ForkPipe[0], 0, 0};
  while (ForkPipe[0] >= 0 && poll(&Poll, 1, -1) < 0 && errno == EINTR) {
  }
  close(ForkPipe[0]);
  ForkLock.unlock();
}

void Node::afterForkInChild() {
  for (auto &Entry : Nodes)
    if (Node *N = Entry.exchange(nullptr)) {
      close(N->Membership);
      for (const pollfd &Caller : N->Callers)
        close(Caller.fd);
      close(N->SegmentFile);
    }
  if (TheWindow)
    TheWindow->makePrivate();
  close(ForkPipe[0]);
  close(ForkPipe[1]);
  new (&ForkLock) std::mutex;
  TheWindow = nullptr;
  new (&JoinLock) std::mutex;
  Service::afterForkInChild();
  WeakScheduler::afterForkInChild();
  // The objects themselves stay: handles that the child inherited still point to them.
}

void Node::forgetQueuePair(uint32_t Index) {
  std::lock_guard Guard(QueuePairsStay);
  LocalQueuePairs[Index] = nullptr;
}

void Node::passThroughQueuePairs() {
  forEachQueuePair([](QueuePair &Q) { std::lock_guard Passing(Q.Lock); });
}

} // namespace rdma::device
