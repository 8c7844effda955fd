#include "runtime/device/Peer.h"

#include "runtime/device/Binding.h"
#include "runtime/device/Descriptors.h"
#include "runtime/device/GiveWay.h"
#include "runtime/device/OwnMapping.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

namespace rdma::device {

namespace {

int openDescriptorOf(pid_t Pid, const char *Number, int Flags = 0) {
  std::string Path = "/proc/" + std::to_string(Pid) + "/fd/" + Number;
  return open(Path.c_str(), O_RDWR | O_CLOEXEC | Flags);
}

/// The segment of a process is the file in memory of that name among its open files.
int openSegment(pid_t Pid, const std::string &Name) {
  std::string Folder = "/proc/" + std::to_string(Pid) + "/fd";
  DIR *Files = opendir(Folder.c_str());
  if (!Files)
    return -1;
  int Found = -1;
  std::string Wanted = "/memfd:" + Name;
  while (dirent *Entry = readdir(Files)) {
    char Target[256] = {};
    if (readlinkat(dirfd(Files), Entry->d_name, Target, sizeof Target - 1) > 0 &&
        std::string_view(Target).starts_with(Wanted + " ")) {
      Found = openDescriptorOf(Pid, Entry->d_name);
      break;
    }
  }
  closedir(Files);
  return Found;
}

} // namespace

bool Peer::isHidden(const std::string &Name) {
  uid_t User;
  pid_t Pid;
  int Socket = descriptors::reach(Name, User, Pid);
  if (Socket < 0)
    return false;
  close(Socket);
  if (Pid)
    return false;
  int File = descriptors::askFor(Name, descriptors::Segment);
  if (File >= 0)
    close(File);
  return File < 0;
}

int Peer::openDescriptor(uint32_t Number, int Flags) {
  return Pid ? openDescriptorOf(Pid, std::to_string(Number).c_str(), Flags)
             : descriptors::askFor(Hidden, Number);
}

/// Segment and window. False when they cannot be had.
bool Peer::openFiles(const std::string &Name) {
  if (!Pid)
    Hidden = Name;
  int File = Pid ? openSegment(Pid, Name) : descriptors::askFor(Name, descriptors::Segment);
  if (File < 0)
    return false;
  // One that is joining has perhaps not given the file its size yet.
  struct stat Status = {};
  if (fstat(File, &Status) == 0 && Status.st_size >= static_cast<off_t>(sizeof(SharedSegment)))
    Segment = static_cast<SharedSegment *>(mapOwn(File, sizeof(SharedSegment), 0));
  close(File);
  if (!Segment || Segment->Magic != SegmentMagic || Segment->Version != SegmentVersion)
    return false;
  WindowFile = openDescriptor(static_cast<uint32_t>(Segment->WindowFd), 0);
  return WindowFile >= 0;
}

std::shared_ptr<Peer> Peer::connect(const std::string &Name) {
  std::shared_ptr<Peer> P(new Peer);
  uid_t User;
  P->Socket = descriptors::reach(Name, User, P->Pid);
  if (P->Socket < 0 || User != geteuid() || !P->openFiles(Name))
    return nullptr;
  P->Slots = static_cast<Slot *>(calloc(MaxRegions, sizeof(Slot)));
  // The process may have ended, and its number been given away, before its files were open here.
  return P->Slots && P->visit() && P->checkAlive() ? P : nullptr;
}

/// Takes an entry among the visitors of the node: a free one, or that of a process that is gone.
bool Peer::visit() {
  std::lock_guard Guard(Segment->VisitorsLock);
  for (uint32_t I = 1; I < MaxVisitors; ++I) {
    SharedVisitor &V = Segment->Visitors[I];
    uint32_t Before = V.Pid;
    if (Before && !processGone(Before))
      continue;
    if (Before && madvise(&V, sizeof V, MADV_REMOVE))
      continue;
    V.Pid = processId();
    Segment->VisitorsEnd = std::max(Segment->VisitorsEnd.load(), I + 1);
    Visitor = &V;
    return true;
  }
  return false;
}

std::shared_ptr<Peer> Peer::self(SharedSegment *Own) {
  std::shared_ptr<Peer> P(new Peer);
  P->Segment = Own;
  P->Visitor = &Own->Visitors[0];
  P->Visitor->Pid = processId();
  Own->VisitorsEnd = 1;
  return P;
}

Peer::~Peer() {
  if (Segment && isSelf())
    return;
  if (Visitor)
    Visitor->Pid = 0;
  for (auto &[Index, M] : Mapped)
    unmapOwn(M.Base, M.Size);
  if (Segment)
    unmapOwn(Segment, sizeof(SharedSegment));
  free(Slots);
  for (auto &[Number, P] : Pipes)
    close(P.File);
  if (Socket >= 0)
    close(Socket);
  if (WindowFile >= 0)
    close(WindowFile);
}

void Peer::signal(int Fd, uint32_t Cookie, const void *Record, size_t Size) {
  if (isSelf()) {
    (void)!::write(Fd, Record, Size);
    return;
  }
  std::lock_guard Guard(Lock);
  if (int File = pipeTo(Fd, Cookie); File >= 0)
    (void)!::write(File, Record, Size);
}

/// The owner may make and destroy channels for ever, and says nothing of their end.
int Peer::pipeTo(int Fd, uint32_t Cookie) {
  constexpr size_t MostPipes = 256;
  if (auto Known = Pipes.find(Fd); Known != Pipes.end()) {
    if (Known->second.Cookie == Cookie)
      return Known->second.File;
    closePipe(Fd); // an earlier one of that number
  }
  if (Pipes.size() == MostPipes)
    closePipe(PipesInOrder.front());
  // Open for reading too: writing to a pipe whose owner is gone is no signal then.
  int File = openDescriptor(static_cast<uint32_t>(Fd), O_NONBLOCK);
  while (File < 0 && !Pipes.empty()) { // the program may have no room for another file
    closePipe(PipesInOrder.front());
    File = openDescriptor(static_cast<uint32_t>(Fd), O_NONBLOCK);
  }
  if (File < 0)
    return -1;
  PipesInOrder.push_back(Fd);
  Pipes[Fd] = {Cookie, File};
  return File;
}

void Peer::closePipe(int Fd) {
  close(Pipes[Fd].File);
  Pipes.erase(Fd);
  std::erase(PipesInOrder, Fd);
}

bool Peer::checkAlive() {
  if (isSelf())
    return true;
  pollfd Poll = {Socket, POLLIN, 0};
  if (poll(&Poll, 1, 0) == 1)
    Gone = true;
  return alive();
}

RegionUse Peer::use(uint32_t Key, uint64_t Address, uint64_t Length, uint32_t Access, uint32_t Domain) {
  std::atomic<uint32_t> &Count = Visitor->Uses[regionIndex(Key)];
  Count.fetch_add(1);
  // From here on the region cannot be taken away if its key is still there.
  return RegionUse(Count, find(Key, Address, Length, Access, Domain), Key, Address);
}

RegionUse Peer::useFor(const SharedQueuePair &By, uint32_t Key, uint64_t Address, uint64_t Length,
                       uint32_t Access, uint32_t Domain) {
  if (binding::Part P = binding::find(*Segment, By, Key, Address, Length, Access, Domain); P.Key)
    return use(P.Key, P.Address, Length, 0, P.Domain);
  return use(Key, Address, Length, Access, Domain);
}

Bytes Peer::findInWindow(const SharedQueuePair &By, uint32_t Key, uint64_t Address, uint64_t Length,
                         uint32_t Access, uint32_t Domain) {
  binding::Part P = binding::find(*Segment, By, Key, Address, Length, Access, Domain);
  return find(P.Key, P.Address, Length, 0, P.Domain);
}

bool Peer::map(SharedRegion &Region, uint32_t Key) {
  std::lock_guard Guard(Lock);
  Slot &S = Slots[regionIndex(Key)];
  if (S.Key.load(std::memory_order_relaxed) == Key)
    return true;
  uint64_t Begin = Region.Address & ~uint64_t(4095),
           End = (Region.Address + Region.Length + 4095) & ~uint64_t(4095);
  void *Base = mapOwn(WindowFile, End - Begin, static_cast<off_t>(Begin));
  if (!Base)
    return false;
  // The old mapping of this index has no users left: its key is gone, and the owner has waited for them.
  if (auto Old = Mapped.find(regionIndex(Key)); Old != Mapped.end())
    unmapOwn(Old->second.Base, Old->second.Size);
  Mapped[regionIndex(Key)] = {Base, End - Begin};
  S.Delta.store(static_cast<int64_t>(reinterpret_cast<uint64_t>(Base) - Begin), std::memory_order_relaxed);
  S.Key.store(Key, std::memory_order_release);
  return true;
}

namespace {

/// A copy by the kernel, which a page that is just being moved (device/WriteGuard.h) makes fail, here or
/// there.
template <typename Call> bool copyByKernel(Call Copy, uint64_t Length) {
  auto Limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (Copy() != static_cast<ssize_t>(Length)) {
    if (errno != EFAULT || std::chrono::steady_clock::now() > Limit)
      return false;
    giveWay();
  }
  return true;
}

} // namespace

bool Peer::writeByKernel(uint64_t To, const void *From, uint64_t Length) {
  iovec Here = {const_cast<void *>(From), Length}, There = {reinterpret_cast<void *>(To), Length};
  return copyByKernel([&] { return errno = EFAULT, process_vm_writev(Pid, &Here, 1, &There, 1, 0); }, Length);
}

bool Peer::readByKernel(void *To, uint64_t From, uint64_t Length) {
  iovec Here = {To, Length}, There = {reinterpret_cast<void *>(From), Length};
  return copyByKernel([&] { return errno = EFAULT, process_vm_readv(Pid, &Here, 1, &There, 1, 0); }, Length);
}

} // namespace rdma::device
