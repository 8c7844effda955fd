// Sequentially consistent words, and a structure behind a lock.
#include "rdma/objects/sc.h"

using namespace rdma::objects;

struct board {
  std::uint64_t count, last;
};

void run_node(sc<std::uint64_t> &flag, locked<board> &visits, std::uint64_t &seen) {
  flag.write(5);
  seen = flag.read();
  visits.with([&](board &b) { b.last = ++b.count; });
}
