// How the allocator of the tools works. An analysis makes and drops millions of small things all over its
// memory.
#include <mimalloc.h>
#include <sys/mman.h>

namespace {

/// Memory in large pages, where the system has them for who asks: an analysis of perftest takes a third less
/// time. It is address space only, until it is used.
void takeLargePages() {
  constexpr std::size_t Size = std::size_t(16) << 30, Alignment = std::size_t(64) << 20;
  void *Start = mmap(nullptr, Size + Alignment, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (Start == MAP_FAILED)
    return; // a limit of the address space; the allocator goes on as it is
  const auto Begin = (reinterpret_cast<std::uintptr_t>(Start) + Alignment - 1) / Alignment * Alignment;
  void *Arena = reinterpret_cast<void *>(Begin);
  madvise(Arena, Size, MADV_HUGEPAGE);
  mi_manage_os_memory(Arena, Size, /*is_committed=*/true, /*is_large=*/false, /*is_zero=*/true, -1);
}

/// What was freed is soon wanted again: giving it back to the system and faulting it in anew costs a tenth.
struct Prepared {
  Prepared() {
    mi_option_disable(mi_option_allow_decommit);
    takeLargePages();
  }
} const Once;

} // namespace
