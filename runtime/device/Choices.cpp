#include "runtime/device/Choices.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <pthread.h>

namespace rdma::device {

namespace {

std::atomic<uint64_t> Position{0}, Forks{0};

/// An entry of the environment, so that what a child executes knows the position too.
char Entry[] = "RDMA_FAMILY=0000000000000000";
constexpr size_t Digits = 16, Value = sizeof Entry - 1 - Digits;

void writeEntry() {
  for (size_t I = 0; I < Digits; ++I)
    Entry[Value + I] = "0123456789abcdef"[Position >> (60 - 4 * I) & 15];
}

void inParent() { ++Forks; }

void inChild() {
  Position = scatterBits({Position, Forks + 1});
  Forks = 0;
  writeEntry();
}

/// From the beginning: the program may fork before it opens a device.
__attribute__((constructor)) void watchForks() {
  if (const char *Before = getenv("RDMA_FAMILY"))
    Position = strtoull(Before, nullptr, 16);
  writeEntry();
  putenv(Entry);
  pthread_atfork(nullptr, inParent, inChild);
}

} // namespace

uint64_t familyPosition() { return Position; }

} // namespace rdma::device
