// What is mapped where in this process.
#pragma once

#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace rdma::device {

/// A line of /proc/self/maps.
struct Mapping {
  uint64_t Begin, End, Offset, Inode;
  int Protection;
  bool Shared;
};

/// False for a line that cannot be read.
bool parseMapping(const char *Line, Mapping &M);

/// Takes no memory from the heap: after a fork the heap is perhaps what is to be made private, and in the
/// handler of a fault what is being moved.
template <typename Visitor> void forEachMapping(Visitor Visit) {
  int Maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  char Text[8192];
  size_t Size = 0;
  for (ssize_t Got; Maps >= 0 && (Got = read(Maps, Text + Size, sizeof Text - Size)) > 0;) {
    Size += static_cast<size_t>(Got);
    char *Line = Text;
    while (void *End = memchr(Line, '\n', static_cast<size_t>(Text + Size - Line))) {
      *static_cast<char *>(End) = 0;
      if (Mapping M = {}; parseMapping(Line, M))
        Visit(M);
      Line = static_cast<char *>(End) + 1;
    }
    Size = static_cast<size_t>(Text + Size - Line);
    memmove(Text, Line, Size);
  }
  close(Maps);
}

} // namespace rdma::device
