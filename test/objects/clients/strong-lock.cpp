// A counter under a strong lock.
#include "rdma/objects/locks.h"

using namespace rdma::objects;

void run_node(endpoint &here, strong_lock &lock, const remote &counter) {
  word value;
  std::lock_guard guard(lock);
  if (here.load(value, counter) == status::ok)
    (void)here.put_word(counter, value + 1);
}
