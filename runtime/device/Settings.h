// What the environment asks of the device. rdma-run sets these variables; a program that links with the
// device can be given them directly.
//
//   RDMA_SCHEDULE  strong (default), weak, or ordered: weak, but acknowledged writes reach a target in the
//   order of
//                  their acknowledgement
//   RDMA_SEED      of the weak schedule, a number; default 1
//   RDMA_TORN      words or lines: under weak and ordered, the parts of one WRITE reach memory in any order;
//                  each aligned word, or cache line, stays whole
//   RDMA_LATENCY   a delay of each request: number and unit (ns, us, ms; us when there is none); default 0
//   RDMA_JITTER    a part of this, another one for each request, is added; default 0
//   RDMA_BANDWIDTH of all requests of the process together: number and unit (Gb, Mb: bits per second; GB, MB:
//                  bytes); default: no limit
//   RDMA_FABRIC    name of the fabric to join; default "default"
//   RDMA_LID       local identifier of the first node, 1 to 49151, or the next one that is free; default: a
//   place that
//                  depends on the user, the fabric and the network namespace, so that foreign nodes are not
//                  confused
//   RDMA_RNR_GRACE a time that a message waits for a receive before the retries of its queue pair count;
//   default 0 RDMA_NODES     devices that the process has, each a node of the fabric: 1 to 64; default 1
//   RDMA_CHECK     log or abort: look for races with the NIC and for requests that outlive what they use
//   RDMA_LINK      infiniband (default) or ethernet, for RoCE
//   RDMA_DEVICE_NAME  of the first device, with a number at its end, from which the others are counted;
//                  default rdma_emulated0
//   RDMA_CONNECT_TIMEOUT  how long the connection manager waits for the other side; default 60s
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rdma::device {

inline constexpr unsigned MaxNodes = 64;
inline constexpr uint32_t MaxLid = 0xbfff; ///< the last unicast LID

enum class CheckMode { Off, Log, Abort };

struct Settings {
  bool Weak = false;     ///< requests take steps of their own, late: weak and ordered
  bool Ordered = false;  ///< but what is acknowledged reaches memory in the order of acknowledgement
  uint64_t TornUnit = 0; ///< what of one WRITE arrives together when its parts arrive in any order; 0: in
                         ///< rising order
  uint64_t Seed = 1;
  uint64_t LatencyNanoseconds = 0, JitterNanoseconds = 0;
  uint64_t BytesPerSecond = 0; ///< of the link (device/Link.h), 0: as fast as memory
  std::string Fabric = "default";
  unsigned Nodes = 1;
  uint32_t FirstLid = 1;   ///< where the search for a free one begins
  uint32_t StreamBase = 0; ///< the LID whose choices are the first stream of a seed
  uint64_t RnrGraceNanoseconds = 0;
  CheckMode Check = CheckMode::Off;         ///< device/Check.h
  bool Ethernet = false;                    ///< the port is one of Ethernet, with RoCE
  std::string DeviceBase = "rdma_emulated"; ///< names of devices are this and a number,
  unsigned FirstDevice = 0;                 ///< from this on
  uint64_t ConnectNanoseconds = 60'000'000'000;

  /// Reads the environment. A value that cannot be read ends the process with one line and status 2: a run
  /// under other rules than those asked for would mislead.
  static const Settings &get();
};

/// A number that user, fabric and network namespace share, and others most likely do not have.
uint64_t fabricNumber(const std::string &Fabric);

/// "100Gb", "12.5GB" in bytes per second; more than 0.
std::optional<uint64_t> parseRate(const std::string &Text);

/// "250", "250us", "1.5ms" in nanoseconds.
std::optional<uint64_t> parseDuration(const std::string &Text);

} // namespace rdma::device
