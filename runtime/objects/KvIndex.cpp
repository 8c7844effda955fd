#include "rdma/objects/kvstore.h"

namespace rdma::objects {

std::optional<std::size_t> kv_slots::take() {
  std::lock_guard Guard(Lock);
  if (Free.empty())
    return Unused < Count ? std::optional(Unused++) : std::nullopt;
  std::size_t Slot = Free.back();
  Free.pop_back();
  return Slot;
}

void kv_slots::giveBack(std::size_t Slot) {
  std::lock_guard Guard(Lock);
  Free.push_back(Slot);
}

} // namespace rdma::objects
