// Mappings of tables and of other processes' memory: gigabytes, nearly all of them untouched, in which tools
// look for nothing of the program's. A page that is looked at is there from then on.
#pragma once

#include <sys/mman.h>

#if __has_include(<valgrind/memcheck.h>)
#include <valgrind/memcheck.h>
#else // a leak check reads them
#define VALGRIND_MAKE_MEM_NOACCESS(At, Size) 0
#define VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE(At, Size) 0
#define VALGRIND_ENABLE_ADDR_ERROR_REPORTING_IN_RANGE(At, Size) 0
#endif

namespace rdma::device {

/// Null when there is no room.
inline void *mapOwn(int File, size_t Size, off_t Offset) {
  void *At = mmap(nullptr, Size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, File, Offset);
  if (At == MAP_FAILED)
    return nullptr;
  madvise(At, Size, MADV_DONTDUMP);
  (void)VALGRIND_MAKE_MEM_NOACCESS(At, Size);
  (void)VALGRIND_DISABLE_ADDR_ERROR_REPORTING_IN_RANGE(At, Size);
  return At;
}

inline void unmapOwn(void *At, size_t Size) {
  (void)VALGRIND_ENABLE_ADDR_ERROR_REPORTING_IN_RANGE(At, Size);
  munmap(At, Size);
}

} // namespace rdma::device
