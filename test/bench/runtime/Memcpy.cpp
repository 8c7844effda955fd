// The rows of runtime-compare that plain memcpy can fill: between two buffers that two processes share.
#include "Pair.h"

using namespace bench;

namespace {

double gigabytes(size_t Size) {
  pin(0);
  auto *Memory = static_cast<char *>(
      mmap(nullptr, BufferSize, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  memset(Memory, 1, BufferSize);
  auto *volatile Copy = memcpy; // a call each time, as in a program that does not know the size
  unsigned Calls = Size > 4096 ? 400 : 160000;
  return rate(Calls, 1, [&] { Copy(Memory + BufferSize / 2, Memory, Size); }) * static_cast<double>(Size) /
         1e9;
}

const Row Rows[] = {
    {"write-4k", [] { return gigabytes(4096); }},
    {"write-1m", [] { return gigabytes(1 << 20); }},
    {"read-4k", [] { return gigabytes(4096); }},
    {"read-1m", [] { return gigabytes(1 << 20); }},
};

} // namespace

int main(int Count, char **Arguments) { return run(Rows, Count, Arguments); }
