// Which locations something may still read and write: once, or more than once.
#pragma once

#include <cstdint>

namespace rdma::explorer {

/// Sets of locations as 64 bits; locations 64 apart share a bit, which only makes sets larger.
struct Footprint {
  std::uint64_t Read = 0, ReadTwice = 0, Write = 0, WriteTwice = 0;

  static std::uint64_t bit(unsigned Location) { return std::uint64_t(1) << (Location % 64); }
  void read(unsigned Location) {
    ReadTwice |= Read & bit(Location);
    Read |= bit(Location);
  }
  void write(unsigned Location) {
    WriteTwice |= Write & bit(Location);
    Write |= bit(Location);
  }
  /// This and then Other.
  void then(const Footprint &Other) {
    ReadTwice |= Other.ReadTwice | (Read & Other.Read);
    WriteTwice |= Other.WriteTwice | (Write & Other.Write);
    Read |= Other.Read;
    Write |= Other.Write;
  }
  /// This or Other.
  void either(const Footprint &Other) {
    Read |= Other.Read;
    ReadTwice |= Other.ReadTwice;
    Write |= Other.Write;
    WriteTwice |= Other.WriteTwice;
  }
  /// With this the footprint of everything still to come: does a read, or a write, of the location conflict
  /// with nothing but itself?
  bool readIsAlone(unsigned Location) const { return !(Write & bit(Location)); }
  bool writeIsAlone(unsigned Location) const { return !((Read | WriteTwice) & bit(Location)); }
  bool updateIsAlone(unsigned Location) const { return !((ReadTwice | WriteTwice) & bit(Location)); }
  bool operator==(const Footprint &) const = default;
};

} // namespace rdma::explorer
