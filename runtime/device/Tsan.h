// ThreadSanitizer's interface for tasks (fibers) and for order between them, when the program has it.
#pragma once

#include <cstddef>

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

  /// Null in a program without it.
  static const Tsan *get();
};

} // namespace rdma::device
