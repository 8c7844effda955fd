#include "runtime/device/Tsan.h"

#include <dlfcn.h>

namespace rdma::device {

namespace {

template <typename Function> bool find(Function &To, const char *Name) {
  To = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, Name));
  return To != nullptr;
}

} // namespace

bool Tsan::findAll() {
  return find(current, "__tsan_get_current_fiber") && find(create, "__tsan_create_fiber") &&
         find(destroy, "__tsan_destroy_fiber") && find(switchTo, "__tsan_switch_to_fiber") &&
         find(name, "__tsan_set_fiber_name") && find(acquire, "__tsan_acquire") &&
         find(release, "__tsan_release") && find(enter, "__tsan_func_entry") &&
         find(leave, "__tsan_func_exit") && find(read, "__tsan_read_range_pc") &&
         find(write, "__tsan_write_range_pc") && find(Of1.Add, "__tsan_atomic8_fetch_add") &&
         find(Of2.Add, "__tsan_atomic16_fetch_add") && find(Of4.Add, "__tsan_atomic32_fetch_add") &&
         find(Of8.Add, "__tsan_atomic64_fetch_add") && find(Of1.Load, "__tsan_atomic8_load") &&
         find(Of2.Load, "__tsan_atomic16_load") && find(Of4.Load, "__tsan_atomic32_load") &&
         find(Of8.Load, "__tsan_atomic64_load");
}

void Tsan::addNothing(void *At, size_t Size, int Order) const {
  switch (Size) {
  case 8:
    Of8.Add(static_cast<uint64_t *>(At), 0, Order);
    return;
  case 4:
    Of4.Add(static_cast<uint32_t *>(At), 0, Order);
    return;
  case 2:
    Of2.Add(static_cast<uint16_t *>(At), 0, Order);
    return;
  default:
    Of1.Add(static_cast<uint8_t *>(At), 0, Order);
  }
}

void Tsan::look(void *At, size_t Size) const {
  switch (Size) {
  case 8:
    Of8.Load(static_cast<uint64_t *>(At), __ATOMIC_ACQUIRE);
    return;
  case 4:
    Of4.Load(static_cast<uint32_t *>(At), __ATOMIC_ACQUIRE);
    return;
  case 2:
    Of2.Load(static_cast<uint16_t *>(At), __ATOMIC_ACQUIRE);
    return;
  default:
    Of1.Load(static_cast<uint8_t *>(At), __ATOMIC_ACQUIRE);
  }
}

const Tsan *Tsan::get() {
  static Tsan The;
  static const bool Found = The.findAll();
  return Found ? &The : nullptr;
}

} // namespace rdma::device
