// The choices of a weak run: each is a function of the seed and of what is chosen about.
//
// A choice about a request is keyed by the process, the queue pair and the number of the request there, and
// does not depend on how many choices came before: a delay that the machine brings about shifts no later
// choice.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace rdma::device {

/// The finishing steps of SplitMix64: every bit of the result depends on every bit of the key.
inline uint64_t scatterBits(uint64_t Z) {
  Z += 0x9e3779b97f4a7c15;
  Z = (Z ^ Z >> 30) * 0xbf58476d1ce4e5b9;
  Z = (Z ^ Z >> 27) * 0x94d049bb133111eb;
  return Z ^ Z >> 31;
}

inline uint64_t scatterBits(std::initializer_list<uint64_t> Key) {
  uint64_t Z = 0;
  for (uint64_t Part : Key)
    Z = scatterBits(Z ^ Part);
  return Z;
}

/// Which process of a family this one is: 0 in one that the program did not fork, else a function of the
/// forks that led to it. Children that are forked in a fixed order so have fixed streams, whichever joins the
/// fabric first.
uint64_t familyPosition();

} // namespace rdma::device
