// A counter under a weak lock, fenced before the release.
#include "rdma/objects/locks.h"

using namespace rdma::objects;

void run_node(endpoint &here, weak_lock &lock, const remote &counter) {
  word value;
  std::lock_guard guard(lock);
  if (here.load(value, counter) == status::ok)
    (void)here.put_word(counter, value + 1);
  (void)here.fence({0});
}
