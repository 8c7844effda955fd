#include "runtime/device/Copy.h"

namespace rdma::device {

namespace {

/// A vector that may stand at any word.
template <size_t Size> struct __attribute__((packed, aligned(8), may_alias)) Vector {
  typedef uint64_t Words __attribute__((vector_size(Size)));
  Words Held;
};

/// Volatile: each vector is read once and written once, in this order.
template <size_t Size>
__attribute__((always_inline)) inline size_t copyVectors(char *To, const char *From, size_t Length) {
  constexpr size_t Block = 64, Count = Block / Size;
  size_t Done = 0;
  for (; Done + Block <= Length; Done += Block) {
    typename Vector<Size>::Words Held[Count];
    for (size_t I = 0; I < Count; ++I)
      Held[I] = reinterpret_cast<const volatile Vector<Size> *>(From + Done)[I].Held;
    for (size_t I = 0; I < Count; ++I)
      reinterpret_cast<volatile Vector<Size> *>(To + Done)[I].Held = Held[I];
  }
  return Done;
}

#if defined(__x86_64__)
__attribute__((target("avx"))) size_t withAvx(char *To, const char *From, size_t Size) {
  return copyVectors<32>(To, From, Size);
}
const bool HasAvx = __builtin_cpu_supports("avx");
#endif

} // namespace

size_t copyBlocks(char *To, const char *From, size_t Size) {
#if defined(__x86_64__)
  if (HasAvx)
    return withAvx(To, From, Size);
#endif
  return copyVectors<16>(To, From, Size);
}

} // namespace rdma::device
