#include "rdma/objects/kvstore.h"

namespace rdma::objects {

kv_slots::kv_slots(std::size_t Count) {
  for (std::size_t I = Count; I > 0; --I)
    Free.push_back(I - 1);
}

std::optional<std::size_t> kv_slots::take() {
  std::lock_guard Guard(Lock);
  if (Free.empty())
    return {};
  std::size_t Slot = Free.back();
  Free.pop_back();
  return Slot;
}

void kv_slots::giveBack(std::size_t Slot) {
  std::lock_guard Guard(Lock);
  Free.push_back(Slot);
}

} // namespace rdma::objects
