// What is mapped where in this process.
#pragma once

#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace rdma::device {

/// As a line of /proc/self/maps.
struct Mapping {
  uint64_t Begin, End, Offset, Inode;
  int Protection;
  bool Shared;
};

/// False for a line that cannot be read.
bool parseMapping(const char *Line, Mapping &M);

/// Asks the kernel for the mapping at this address, or the next one. Linux 6.11 and later know the question.
enum class Answer { Found, None, NotUnderstood };
Answer askForMapping(int Maps, uint64_t At, Mapping &M);

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

/// Those that have something of [Begin, End), without a look at the others: a program may have thousands.
template <typename Visitor> void forEachMapping(uint64_t Begin, uint64_t End, Visitor Visit) {
  int Maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  Mapping M = {};
  auto Got = Answer::Found;
  for (uint64_t At = Begin; At < End; At = M.End) {
    Got = askForMapping(Maps, At, M);
    if (Got != Answer::Found || M.Begin >= End)
      break;
    Visit(M);
  }
  close(Maps);
  if (Got == Answer::NotUnderstood)
    forEachMapping([&](const Mapping &Each) {
      if (Each.End > Begin && Each.Begin < End)
        Visit(Each);
    });
}

} // namespace rdma::device
