// What the environment asks of the device. rdma-run sets these variables; a program that links with the
// device can be given them directly.
//
//   RDMA_SCHEDULE  strong (default) or weak
//   RDMA_SEED      of the weak schedule, a number; default 1
//   RDMA_LATENCY   a delay of each request: number and unit (ns, us, ms; us when there is none); default 0
//   RDMA_FABRIC    name of the fabric to join; default "default"
//   RDMA_NODES     devices that the process has, each a node of the fabric: 1 to 64; default 1
//   RDMA_CONNECT_TIMEOUT  how long the connection manager waits for the other side; default 60s
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rdma::device {

inline constexpr unsigned MaxNodes = 64;

struct Settings {
  bool Weak = false;
  uint64_t Seed = 1;
  uint64_t LatencyNanoseconds = 0;
  std::string Fabric = "default";
  unsigned Nodes = 1;
  uint64_t ConnectNanoseconds = 60'000'000'000;

  /// Reads the environment. A value that cannot be read ends the process with one line and status 2: a run
  /// under other rules than those asked for would mislead.
  static const Settings &get();
};

/// "250", "250us", "1.5ms" in nanoseconds.
std::optional<uint64_t> parseDuration(const std::string &Text);

} // namespace rdma::device
