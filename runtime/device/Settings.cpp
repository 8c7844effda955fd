#include "runtime/device/Settings.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace rdma::device {

std::optional<uint64_t> parseDuration(const std::string &Text) {
  char *End = nullptr;
  double Number = strtod(Text.c_str(), &End);
  std::string Unit = End;
  double Scale = Unit.empty() || Unit == "us" ? 1e3
                 : Unit == "ns"               ? 1
                 : Unit == "ms"               ? 1e6
                 : Unit == "s"                ? 1e9
                                              : -1;
  if (End == Text.c_str() || !(Number >= 0) || Scale < 0 || Number * Scale > 1e12)
    return std::nullopt;
  return static_cast<uint64_t>(Number * Scale);
}

namespace {

[[noreturn]] void refuse(const char *Name, const char *Value, const char *Wanted) {
  fprintf(stderr, "rdma: error: %s='%s': %s is expected\n", Name, Value, Wanted);
  _exit(2);
}

Settings read() {
  Settings S;
  if (const char *Text = getenv("RDMA_SCHEDULE")) {
    S.Weak = std::string(Text) == "weak";
    if (!S.Weak && std::string(Text) != "strong")
      refuse("RDMA_SCHEDULE", Text, "strong or weak");
  }
  if (const char *Text = getenv("RDMA_SEED")) {
    char *End = nullptr;
    S.Seed = strtoull(Text, &End, 10);
    if (!*Text || *End)
      refuse("RDMA_SEED", Text, "a number");
  }
  if (const char *Text = getenv("RDMA_LATENCY")) {
    std::optional<uint64_t> Time = parseDuration(Text);
    if (!Time)
      refuse("RDMA_LATENCY", Text, "a time such as 5us or 1ms");
    S.LatencyNanoseconds = *Time;
  }
  if (const char *Text = getenv("RDMA_FABRIC")) {
    S.Fabric = Text;
    if (S.Fabric.empty() || S.Fabric.size() > 60)
      refuse("RDMA_FABRIC", Text, "a name of 1 to 60 characters");
  }
  if (const char *Text = getenv("RDMA_CONNECT_TIMEOUT")) {
    std::optional<uint64_t> Time = parseDuration(Text);
    if (!Time)
      refuse("RDMA_CONNECT_TIMEOUT", Text, "a time such as 500ms or 60s");
    S.ConnectNanoseconds = *Time;
  }
  if (const char *Text = getenv("RDMA_NODES")) {
    char *End = nullptr;
    unsigned long Nodes = strtoul(Text, &End, 10);
    if (!*Text || *End || Nodes < 1 || Nodes > MaxNodes)
      refuse("RDMA_NODES", Text, "a number from 1 to 64");
    S.Nodes = static_cast<unsigned>(Nodes);
  }
  return S;
}

} // namespace

const Settings &Settings::get() {
  static const Settings The = read();
  return The;
}

} // namespace rdma::device
