// Copies between registered memories.
//
// Where source and target are aligned alike, every aligned word of eight bytes is read once and written once,
// in increasing order of addresses: a program that watches a word never sees half of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

namespace rdma::device {

inline uint64_t loadWord(const void *At) {
  return __atomic_load_n(static_cast<const uint64_t *>(At), __ATOMIC_RELAXED);
}
inline void storeWord(void *At, uint64_t Value) {
  __atomic_store_n(static_cast<uint64_t *>(At), Value, __ATOMIC_RELAXED);
}

/// Blocks of 64 bytes, aligned to words. The processor moves vectors of words, and no word of a vector is
/// ever half moved: it does not straddle two cache lines.
size_t copyBlocks(char *To, const char *From, size_t Size);

/// Copies Size bytes; the areas may overlap when they are the same area.
inline void copyWords(void *To, const void *From, size_t Size) {
  auto *Target = static_cast<char *>(To);
  auto *Source = static_cast<const char *>(From);
  auto byteByByte = [&](size_t Count) {
    for (size_t I = 0; I < Count; ++I)
      __atomic_store_n(Target + I, __atomic_load_n(Source + I, __ATOMIC_RELAXED), __ATOMIC_RELAXED);
    Target += Count, Source += Count, Size -= Count;
  };
  bool Alike = (reinterpret_cast<uintptr_t>(To) - reinterpret_cast<uintptr_t>(From)) % 8 == 0;
  if (size_t Head = -reinterpret_cast<uintptr_t>(To) % 8)
    byteByByte(Head < Size ? Head : Size);
  if (Alike) {
    if (size_t Done = Size >= 128 ? copyBlocks(Target, Source, Size) : 0)
      Target += Done, Source += Done, Size -= Done;
    for (; Size >= 8; Target += 8, Source += 8, Size -= 8)
      storeWord(Target, loadWord(Source));
  } else {
    for (uint64_t Word; Size >= 8; Target += 8, Source += 8, Size -= 8) {
      std::memcpy(&Word, Source, 8);
      storeWord(Target, Word);
    }
  }
  byteByByte(Size);
}

} // namespace rdma::device
