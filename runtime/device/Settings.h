// What the environment asks of the device. rdma-run sets these variables; a program that links with the
// device can be given them directly.
//
//   RDMA_SCHEDULE  strong (default) or weak
//   RDMA_SEED      of the weak schedule, a number; default 1
//   RDMA_LATENCY   a delay of each request: number and unit (ns, us, ms; us when there is none); default 0
//   RDMA_FABRIC    name of the fabric to join; default "default"
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rdma::device {

struct Settings {
  bool Weak = false;
  uint64_t Seed = 1;
  uint64_t LatencyNanoseconds = 0;
  std::string Fabric = "default";

  /// Reads the environment. A value that cannot be read ends the process with one line and status 2: a run
  /// under other rules than those asked for would mislead.
  static const Settings &get();
};

/// "250", "250us", "1.5ms" in nanoseconds.
std::optional<uint64_t> parseDuration(const std::string &Text);

} // namespace rdma::device
