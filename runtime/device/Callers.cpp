#include "runtime/device/Callers.h"

#include <algorithm>
#include <link.h>
#include <mutex>
#include <set>
#include <unwind.h>

namespace rdma::device::check {

namespace {

constexpr size_t MostCallers = 24;

/// Where the device itself is loaded.
struct OwnRange {
  uintptr_t Begin = 0, End = 0;
  bool has(const void *Pc) const {
    auto At = reinterpret_cast<uintptr_t>(Pc);
    return Begin <= At && At < End;
  }
};

int findOwn(dl_phdr_info *Info, size_t, void *Into) {
  OwnRange Found;
  for (int I = 0; I < Info->dlpi_phnum; ++I)
    if (const auto &Part = Info->dlpi_phdr[I]; Part.p_type == PT_LOAD) {
      uintptr_t Begin = Info->dlpi_addr + Part.p_vaddr;
      Found.Begin = Found.End ? std::min(Found.Begin, Begin) : Begin;
      Found.End = std::max(Found.End, Begin + Part.p_memsz);
    }
  if (!Found.has(reinterpret_cast<const void *>(&callers)))
    return 0;
  *static_cast<OwnRange *>(Into) = Found;
  return 1;
}

/// By addresses: dladdr(3) goes through all symbols.
bool isOwn(const void *Pc) {
  static const OwnRange The = [] {
    OwnRange Found;
    dl_iterate_phdr(findOwn, &Found);
    return Found;
  }();
  return The.has(Pc);
}

/// The frames of a call of callers(), and where each return address stands in memory, if it does.
struct Unwound {
  static constexpr size_t Most = 32;
  size_t Count = 0;
  void *Pc[Most];
  void **Slot[Most];
  bool IsPlain = false; ///< each return address is in its slot, the slots go up, and not far
  const Stack *Callers = nullptr;

  /// Whether the same calls stand on the stack again. From the innermost on: while they are the same, the
  /// next slot is where it was.
  __attribute__((no_sanitize("address"))) bool isStill(void **Innermost) const {
    if (!IsPlain || Slot[0] != Innermost)
      return false;
    for (size_t I = 0; I < Count; ++I)
      if (*Slot[I] != Pc[I])
        return false;
    return true;
  }
};

_Unwind_Reason_Code step(_Unwind_Context *Context, void *Into) {
  auto &U = *static_cast<Unwound *>(Into);
  if (U.Count == Unwound::Most)
    return _URC_END_OF_STACK;
  U.Pc[U.Count] = reinterpret_cast<void *>(_Unwind_GetIP(Context));
  // On x86-64 the call has left the address right below where the caller's stack then ended.
  U.Slot[U.Count] = reinterpret_cast<void **>(_Unwind_GetCFA(Context)) - 1;
  ++U.Count;
  return _URC_NO_REASON;
}

const Stack *keep(Stack &&Found) {
  static std::mutex Lock;
  static auto *All = new std::set<Stack>; // threads may still run when the process exits
  std::lock_guard Guard(Lock);
  return &*All->insert(std::move(Found)).first;
}

/// Leaves out the calls of callers() itself.
void unwind(Unwound &U, void **Innermost) {
  U.Count = 0;
  _Unwind_Backtrace(step, &U);
  auto Skipped = static_cast<size_t>(std::find(U.Slot, U.Slot + U.Count, Innermost) - U.Slot);
  if (Skipped < U.Count) {
    U.Count -= Skipped;
    std::copy_n(U.Pc + Skipped, U.Count, U.Pc);
    std::copy_n(U.Slot + Skipped, U.Count, U.Slot);
  }
  // Above the device may stand a sanitizer's own frames.
  size_t First = U.Count;
  while (First && !isOwn(U.Pc[First - 1]))
    --First;
  Stack Found(U.Pc + First, std::find(U.Pc + First, U.Pc + U.Count, nullptr));
  Found.resize(std::min(Found.size(), MostCallers));
  U.Callers = keep(std::move(Found));
}

#if defined(__x86_64__)
constexpr bool KnowsSlots = true;
#else
constexpr bool KnowsSlots = false;
#endif

/// Whether the slots are what they are taken for. The outermost frame has no return address.
bool isPlain(Unwound &U, void **Innermost) {
  constexpr ptrdiff_t Far = 64 << 10; // in words
  while (U.Count && !U.Pc[U.Count - 1])
    --U.Count;
  if (!KnowsSlots || !U.Count || U.Slot[0] != Innermost || U.Slot[U.Count - 1] - Innermost > Far ||
      !std::is_sorted(U.Slot, U.Slot + U.Count))
    return false;
  return std::equal(U.Pc, U.Pc + U.Count, U.Slot, [](void *Pc, void **Slot) { return *Slot == Pc; });
}

} // namespace

// Unwinding takes microseconds, and most programs post from few places: the last stacks are looked at first.
__attribute__((noinline)) const Stack &callers() {
  static constexpr size_t Kept = 16;
  static thread_local Unwound Last[Kept];
  static thread_local size_t Oldest = 0;
  void **Innermost = static_cast<void **>(__builtin_frame_address(0)) + 1;
  for (const Unwound &U : Last)
    if (U.isStill(Innermost))
      return *U.Callers;
  Unwound &New = Last[Oldest++ % Kept];
  unwind(New, Innermost);
  New.IsPlain = isPlain(New, Innermost);
  return *New.Callers;
}

} // namespace rdma::device::check
