#include "runtime/device/Mappings.h"

#include <cerrno>
#include <cstdio>
#include <sys/ioctl.h>
#include <sys/mman.h>

namespace rdma::device {

namespace {

/// PROCMAP_QUERY of linux/fs.h, which is newer than the headers of many a system.
struct Query {
  uint64_t Size, Flags, At;
  uint64_t Begin, End, Is, PageSize, Offset, Inode;
  uint32_t DeviceMajor, DeviceMinor, NameSize, BuildIdSize;
  uint64_t Name, BuildId;
};
constexpr unsigned long AskForMapping = _IOWR('f', 17, Query);
constexpr uint64_t Readable = 1, Writable = 2, Executable = 4, SharedByOthers = 8, OrTheNext = 16;

} // namespace

Answer askForMapping(int Maps, uint64_t At, Mapping &M) {
  Query Q = {};
  Q.Size = sizeof Q;
  Q.Flags = OrTheNext;
  Q.At = At;
  int Before = errno; // of the thread whose fault is being handled
  if (ioctl(Maps, AskForMapping, &Q)) {
    Answer Got = errno == ENOENT ? Answer::None : Answer::NotUnderstood;
    errno = Before;
    return Got;
  }
  M = {Q.Begin, Q.End, Q.Offset, Q.Inode, 0, (Q.Is & SharedByOthers) != 0};
  M.Protection = (Q.Is & Readable ? PROT_READ : 0) | (Q.Is & Writable ? PROT_WRITE : 0) |
                 (Q.Is & Executable ? PROT_EXEC : 0);
  return Answer::Found;
}

bool parseMapping(const char *Line, Mapping &M) {
  char Rights[5];
  if (sscanf(Line, "%lx-%lx %4s %lx %*x:%*x %lu", &M.Begin, &M.End, Rights, &M.Offset, &M.Inode) != 5)
    return false;
  M.Protection = (Rights[0] == 'r' ? PROT_READ : 0) | (Rights[1] == 'w' ? PROT_WRITE : 0) |
                 (Rights[2] == 'x' ? PROT_EXEC : 0);
  M.Shared = Rights[3] == 's';
  return true;
}

} // namespace rdma::device
