#include "runtime/device/Tsan.h"

#include <dlfcn.h>

namespace rdma::device {

namespace {

template <typename Function> bool find(Function &To, const char *Name) {
  To = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, Name));
  return To != nullptr;
}

bool findAll(Tsan &T) {
  return find(T.current, "__tsan_get_current_fiber") && find(T.create, "__tsan_create_fiber") &&
         find(T.destroy, "__tsan_destroy_fiber") && find(T.switchTo, "__tsan_switch_to_fiber") &&
         find(T.name, "__tsan_set_fiber_name") && find(T.acquire, "__tsan_acquire") &&
         find(T.release, "__tsan_release") && find(T.enter, "__tsan_func_entry") &&
         find(T.leave, "__tsan_func_exit") && find(T.read, "__tsan_read_range_pc") &&
         find(T.write, "__tsan_write_range_pc");
}

} // namespace

const Tsan *Tsan::get() {
  static Tsan The;
  static const bool Found = findAll(The);
  return Found ? &The : nullptr;
}

} // namespace rdma::device
