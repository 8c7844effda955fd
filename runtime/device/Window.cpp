#include "runtime/device/Window.h"

#include "runtime/device/WriteGuard.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

namespace rdma::device {

namespace {

constexpr uint64_t PageSize = 4096, FileSize = uint64_t(1) << 47;

/// A line of /proc/self/maps.
struct Mapping {
  uint64_t Begin, End, Offset, Inode;
  int Protection;
  bool Shared;
};

std::vector<Mapping> mappingsOf(uint64_t Begin, uint64_t End) {
  std::vector<Mapping> Found;
  FILE *Maps = fopen("/proc/self/maps", "re");
  if (!Maps)
    return Found;
  char Line[512];
  while (fgets(Line, sizeof Line, Maps)) {
    Mapping M = {};
    char Rights[5];
    if (sscanf(Line, "%lx-%lx %4s %lx %*x:%*x %lu", &M.Begin, &M.End, Rights, &M.Offset, &M.Inode) != 5 ||
        M.End <= Begin || M.Begin >= End)
      continue;
    M.Protection = (Rights[0] == 'r' ? PROT_READ : 0) | (Rights[1] == 'w' ? PROT_WRITE : 0) |
                   (Rights[2] == 'x' ? PROT_EXEC : 0);
    M.Shared = Rights[3] == 's';
    Found.push_back(M);
  }
  fclose(Maps);
  return Found;
}

/// Moves one piece of private memory with uniform rights.
bool movePages(int File, uint64_t Begin, uint64_t End, int Protection) {
  if (!(Protection & PROT_READ))
    return false;
  auto *Pages = reinterpret_cast<char *>(Begin);
  // Another thread that writes meanwhile faults, and waits for the move to end.
  WriteGuard Guard(Begin, End);
  if (Protection & PROT_WRITE && mprotect(Pages, End - Begin, Protection & ~PROT_WRITE))
    return false;
  for (uint64_t Done = Begin; Done < End;) {
    ssize_t N = pwrite(File, reinterpret_cast<char *>(Done), End - Done, static_cast<off_t>(Done));
    if (N <= 0) {
      mprotect(Pages, End - Begin, Protection);
      return false;
    }
    Done += static_cast<uint64_t>(N);
  }
  bool Moved = mmap(Pages, End - Begin, Protection, MAP_SHARED | MAP_FIXED, File,
                    static_cast<off_t>(Begin)) != MAP_FAILED;
  if (!Moved)
    mprotect(Pages, End - Begin, Protection);
  return Moved;
}

} // namespace

Window::Window() : File(memfd_create("rdma-window", MFD_CLOEXEC)) {
  struct stat Status = {};
  if (File < 0 || ftruncate(File, static_cast<off_t>(FileSize)) || fstat(File, &Status))
    throw std::system_error(errno, std::generic_category(), "memory window");
  Inode = Status.st_ino;
}

Window::~Window() { close(File); }

bool Window::coverOnThisStack(uint64_t Begin, uint64_t End) {
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

bool Window::cover(uint64_t Address, uint64_t Length) {
  // The pages may be the stack of the caller. So another stack does the work, and no signal interrupts it.
  static std::mutex OneAtATime;
  std::lock_guard Guard(OneAtATime);
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  static constexpr size_t StackSize = 1 << 18;
  static void *Stack =
      mmap(nullptr, StackSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  static struct {
    Window *Which;
    uint64_t Begin, End;
    bool Covered;
    ucontext_t Caller, Mover;
  } Job;
  Job.Which = this;
  Job.Begin = Address & ~(PageSize - 1);
  Job.End = (Address + Length + PageSize - 1) & ~(PageSize - 1);
  Job.Covered = false;
  getcontext(&Job.Mover);
  Job.Mover.uc_stack.ss_sp = Stack;
  Job.Mover.uc_stack.ss_size = StackSize;
  Job.Mover.uc_link = &Job.Caller;
  void (*Work)() = [] { Job.Covered = Job.Which->coverOnThisStack(Job.Begin, Job.End); };
  makecontext(&Job.Mover, Work, 0);
  if (Stack != MAP_FAILED)
    swapcontext(&Job.Caller, &Job.Mover);
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
  return Job.Covered;
}

void Window::makePrivate() {
  for (const Mapping &M : mappingsOf(0, FileSize)) {
    if (!M.Shared || M.Inode != Inode || M.Offset != M.Begin)
      continue;
    size_t Size = M.End - M.Begin;
    void *Copy = mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (Copy == MAP_FAILED)
      continue;
    memcpy(Copy, reinterpret_cast<void *>(M.Begin), Size);
    mprotect(Copy, Size, M.Protection);
    (void)!mremap(Copy, Size, Size, MREMAP_MAYMOVE | MREMAP_FIXED, reinterpret_cast<void *>(M.Begin));
  }
}

} // namespace rdma::device
