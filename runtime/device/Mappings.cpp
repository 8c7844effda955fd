#include "runtime/device/Mappings.h"

#include <cstdio>
#include <sys/mman.h>

namespace rdma::device {

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
