#include "runtime/device/Window.h"

#include "runtime/device/Mappings.h"
#include "runtime/device/WriteGuard.h"

#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <iterator>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace rdma::device {

namespace {

constexpr uint64_t PageSize = 4096, FileSize = uint64_t(1) << 47;

uint64_t pageOf(uint64_t Address) { return Address & ~(PageSize - 1); }

std::vector<Mapping> mappingsOf(uint64_t Begin, uint64_t End) {
  std::vector<Mapping> Found;
  forEachMapping(Begin, End, [&](const Mapping &M) { Found.push_back(M); });
  return Found;
}

// Straight to the kernel. A sanitizer that stands between the program and libc would take the move for
// accesses of the program to all that is on the pages, and for memory that begins anew.
void *mapAt(uint64_t Begin, uint64_t Size, int Protection, int Flags, int File) {
  return reinterpret_cast<void *>(syscall(SYS_mmap, Begin, Size, Protection, Flags | MAP_FIXED, File, Begin));
}
bool protect(uint64_t Begin, uint64_t End, int Protection) {
  return syscall(SYS_mprotect, Begin, End - Begin, Protection) == 0;
}

/// Moves one piece of private memory with uniform rights.
bool movePages(int File, uint64_t Begin, uint64_t End, int Protection) {
  if (!(Protection & PROT_READ))
    return false;
  // Another thread that writes meanwhile faults, and waits for the move to end.
  WriteGuard Guard;
  if (Protection & PROT_WRITE && !protect(Begin, End, Protection & ~PROT_WRITE))
    return false;
  bool Moved = true;
  for (uint64_t Done = Begin; Moved && Done < End;) {
    long N = syscall(SYS_pwrite64, File, Done, End - Done, Done);
    Moved = N > 0;
    Done += static_cast<uint64_t>(N);
  }
  Moved = Moved && mapAt(Begin, End - Begin, Protection, MAP_SHARED, File) != MAP_FAILED;
  if (!Moved)
    protect(Begin, End, Protection);
  return Moved;
}

/// The reverse: one piece with uniform rights becomes private again.
bool returnPages(int File, uint64_t Begin, uint64_t End, int Protection) {
  uint64_t Size = End - Begin;
  void *Copy = mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Copy == MAP_FAILED)
    return false;
  WriteGuard Guard;
  bool Returned = !(Protection & PROT_WRITE) || protect(Begin, End, Protection & ~PROT_WRITE);
  for (uint64_t Done = 0; Returned && Done < Size;) {
    long N = syscall(SYS_pread64, File, static_cast<char *>(Copy) + Done, Size - Done, Begin + Done);
    Returned = N > 0;
    Done += static_cast<uint64_t>(N);
  }
  Returned = Returned && mprotect(Copy, Size, Protection) == 0 &&
             syscall(SYS_mremap, Copy, Size, Size, MREMAP_MAYMOVE | MREMAP_FIXED, Begin) != -1;
  if (Returned)
    fallocate(File, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(Begin),
              static_cast<off_t>(Size));
  else
    protect(Begin, End, Protection), munmap(Copy, Size);
  return Returned;
}

} // namespace

Window::Window() : File(memfd_create("rdma-window", MFD_CLOEXEC)) {
  struct stat Status = {};
  if (File < 0 || ftruncate(File, static_cast<off_t>(FileSize)) || fstat(File, &Status))
    throw std::system_error(errno, std::generic_category(), "memory window");
  Inode = Status.st_ino;
}

Window::~Window() { close(File); }

bool Window::coverRange(uint64_t Begin, uint64_t End) {
  uint64_t At = Begin;
  for (const Mapping &M : mappingsOf(Begin, End)) {
    uint64_t From = std::max(M.Begin, Begin), To = std::min(M.End, End);
    if (From != At)
      return false;
    At = To;
    bool Already = M.Shared && M.Inode == Inode && M.Offset == M.Begin;
    if (!Already && (M.Shared || !movePages(File, From, To, M.Protection)))
      return false;
  }
  return At == End;
}

extern "C" void *__libc_stack_end; // an address on the first thread's stack, which grows

/// The stack of this thread stays: after a fork, parent and child would run on the same pages for a moment.
/// The C library is asked once, since for the first thread it reads all of the process's mappings.
static bool isOnOwnStack(uint64_t Begin, uint64_t End) {
  static thread_local uint64_t Lowest = 0, Highest = 0;
  pthread_attr_t Attributes;
  if (!Highest) {
    void *At = nullptr;
    size_t Size = 0;
    if (pthread_getattr_np(pthread_self(), &Attributes))
      return true;
    pthread_attr_getstack(&Attributes, &At, &Size);
    pthread_attr_destroy(&Attributes);
    Lowest = reinterpret_cast<uint64_t>(At), Highest = Lowest + Size;
  }
  uint64_t From = Lowest, To = Highest;
  if (auto First = reinterpret_cast<uint64_t>(__libc_stack_end); From <= First && First < To)
    forEachMapping(First, First + 1, [&](const Mapping &M) { From = M.Begin, To = M.End; });
  return Begin < To && End > From;
}

// While pages are moved they look as if they could not be written.
static std::mutex OneAtATime;

bool Window::isPinnable(uint64_t Address, uint64_t Length, bool ForWriting) {
  std::lock_guard Guard(OneAtATime);
  uint64_t At = pageOf(Address), End = pageOf(Address + Length + PageSize - 1);
  if (End < At)
    return false;
  forEachMapping(At, End, [&](const Mapping &M) {
    if (M.Begin <= At && At < M.End && M.Protection & (ForWriting ? PROT_WRITE : PROT_READ))
      At = M.End;
  });
  return At >= End;
}

bool Window::cover(uint64_t Address, uint64_t Length) {
  std::lock_guard Guard(OneAtATime);
  uint64_t Begin = pageOf(Address), End = pageOf(Address + Length + PageSize - 1);
  if (isOnOwnStack(Begin, End))
    return false;
  // A signal's handler could wait for this very thread to end the move.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  bool Covered = coverRange(Begin, End);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  return Covered;
}

/// An entry that begins there.
std::map<uint64_t, uint32_t>::iterator Window::split(uint64_t At) {
  auto After = Regions.upper_bound(At);
  return Regions.emplace(At, After == Regions.begin() ? 0 : std::prev(After)->second).first;
}

void Window::count(uint64_t Begin, uint64_t End, bool More) {
  auto Last = split(End), First = split(Begin);
  for (auto Each = First; Each != Last; ++Each)
    Each->second += More ? 1 : -1;
  // Neighbours that are alike again become one.
  for (auto Each = First; Each != Regions.end() && Each->first <= End;) {
    bool Same = Each->second == (Each == Regions.begin() ? 0 : std::prev(Each)->second);
    Each = Same ? Regions.erase(Each) : std::next(Each);
  }
}

void Window::keep(uint64_t Address, uint64_t Length) {
  std::lock_guard Guard(OneAtATime);
  count(pageOf(Address), pageOf(Address + Length + PageSize - 1), true);
}

void Window::release(uint64_t Address, uint64_t Length) {
  std::lock_guard Guard(OneAtATime);
  uint64_t Begin = pageOf(Address), End = pageOf(Address + Length + PageSize - 1);
  count(Begin, End, false);
  for (uint64_t At = Begin; At < End;) {
    auto Next = Regions.upper_bound(At);
    uint32_t Needed = Next == Regions.begin() ? 0 : std::prev(Next)->second;
    uint64_t To = Next == Regions.end() ? End : std::min(End, Next->first);
    if (!Needed)
      uncover(At, To);
    At = To;
  }
}

/// The same pages as private memory, in parts that need little memory twice.
void Window::uncover(uint64_t Begin, uint64_t End) {
  constexpr uint64_t Part = uint64_t(16) << 20;
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  for (const Mapping &M : mappingsOf(Begin, End)) {
    bool Ours = M.Shared && M.Inode == Inode && M.Offset == M.Begin;
    uint64_t From = std::max(M.Begin, Begin), To = std::min(M.End, End);
    for (uint64_t At = From; Ours && At < To; At = std::min(At + Part, To))
      if (!returnPages(File, At, std::min(At + Part, To), M.Protection))
        break;
  }
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

void Window::makePrivate() {
  forEachMapping([&](const Mapping &M) {
    if (!M.Shared || M.Inode != Inode || M.Offset != M.Begin)
      return;
    uint64_t Size = M.End - M.Begin;
    void *Copy = mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (Copy == MAP_FAILED)
      return;
    // From the file, which is the pages.
    for (uint64_t Done = 0, N = 1; N && Done < Size; Done += N)
      N = static_cast<uint64_t>(std::max(
          syscall(SYS_pread64, File, static_cast<char *>(Copy) + Done, Size - Done, M.Begin + Done), 0L));
    mprotect(Copy, Size, M.Protection);
    (void)!syscall(SYS_mremap, Copy, Size, Size, MREMAP_MAYMOVE | MREMAP_FIXED, M.Begin);
  });
  close(File);
}

} // namespace rdma::device
