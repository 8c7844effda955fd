// ThreadSanitizer's interface for tasks (fibers) and for order between them, when the program has it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rdma::device {

struct Tsan {
  static constexpr unsigned Synchronize = 0,
                            Unordered = 1; ///< whether what came before a switch comes before what follows

  void *(*current)();
  void *(*create)(unsigned Flags);
  void (*destroy)(void *Task);
  void (*switchTo)(void *Task, unsigned Flags);
  void (*name)(void *Task, const char *Name);
  void (*acquire)(void *Of);
  void (*release)(void *Of);
  void (*enter)(void *Caller);
  void (*leave)();
  void (*read)(void *At, size_t Size, void *Pc);
  void (*write)(void *At, size_t Size, void *Pc);

  static constexpr int Relaxed = __ATOMIC_RELAXED, Both = __ATOMIC_ACQ_REL;
  /// An atomic read and write of 1, 2, 4 or 8 bytes that leaves them as they are.
  void addNothing(void *At, size_t Size, int Order = Both) const;
  /// An atomic read of as many.
  void look(void *At, size_t Size) const;

  /// Null in a program without it.
  static const Tsan *get();

private:
  template <typename Word> struct Atomic {
    Word (*Add)(volatile Word *At, Word What, int Order);
    Word (*Load)(const volatile Word *At, int Order);
  };
  Atomic<uint8_t> Of1;
  Atomic<uint16_t> Of2;
  Atomic<uint32_t> Of4;
  Atomic<uint64_t> Of8;
  bool findAll();
};

} // namespace rdma::device
