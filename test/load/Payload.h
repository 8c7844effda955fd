// The contents of messages: who wrote them, which one they are, and a checksum over all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rdma::load {

inline constexpr uint32_t SlotSize = 512;

/// SplitMix64.
inline uint64_t mix(uint64_t Z) {
  Z += 0x9e3779b97f4a7c15;
  Z = (Z ^ Z >> 30) * 0xbf58476d1ce4e5b9;
  Z = (Z ^ Z >> 27) * 0x94d049bb133111eb;
  return Z ^ Z >> 31;
}

class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed) {}
  uint64_t next() { return mix(State++); }
  uint32_t below(uint32_t Limit) { return static_cast<uint32_t>(next() >> 32) % Limit; }

private:
  uint64_t State;
};

/// What a message or a slot begins with.
struct Stamp {
  uint64_t Channel = 0;         ///< which of all streams of messages
  uint64_t Sequence = 0;        ///< which message of the stream
  uint64_t Announced = 0;       ///< the last write to the slot that this message announces, 0: none
  uint32_t AnnouncedLength = 0; ///< bytes of that write
  uint32_t Length = 0;          ///< of the message with its stamp
  uint64_t Sum = 0;             ///< of everything else
};
inline constexpr uint32_t MinLength = sizeof(Stamp);

/// Over whole words; the odd bytes at the end count as one word.
inline uint64_t checksum(const char *At, uint32_t Length) {
  uint64_t Sum = Length;
  for (uint32_t I = 0; I < Length; I += 8) {
    if (I == offsetof(Stamp, Sum))
      continue;
    uint64_t Word = 0;
    std::memcpy(&Word, At + I, Length - I < 8 ? Length - I : 8);
    Sum = (Sum << 27 | Sum >> 37) * 0x9e3779b97f4a7c15 ^ Word;
  }
  return Sum;
}

/// Writes a message of S.Length bytes.
inline void fill(char *At, Stamp S) {
  uint64_t Word = mix(S.Channel ^ mix(S.Sequence));
  for (uint32_t I = MinLength; I < S.Length; I += 8, Word = Word * 0x5851f42d4c957f2d + S.Sequence)
    std::memcpy(At + I, &Word, S.Length - I < 8 ? S.Length - I : 8);
  std::memcpy(At, &S, sizeof S);
  S.Sum = checksum(At, S.Length);
  std::memcpy(At + offsetof(Stamp, Sum), &S.Sum, sizeof S.Sum);
}

/// The stamp of a message that is whole; Length 0 when it is not.
inline Stamp stampOf(const char *At, uint64_t Length) {
  Stamp S;
  if (Length < MinLength || Length > SlotSize)
    return {};
  std::memcpy(&S, At, sizeof S);
  return S.Length == Length && S.Sum == checksum(At, S.Length) ? S : Stamp{};
}

} // namespace rdma::load
