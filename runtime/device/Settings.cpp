#include "runtime/device/Settings.h"

#include "runtime/device/Choices.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
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

std::optional<uint64_t> parseRate(const std::string &Text) {
  char *End = nullptr;
  double Number = strtod(Text.c_str(), &End);
  std::string Unit = End;
  double Scale = Unit == "Gb"   ? 1e9 / 8
                 : Unit == "Mb" ? 1e6 / 8
                 : Unit == "GB" ? 1e9
                 : Unit == "MB" ? 1e6
                                : 0;
  if (End == Text.c_str() || !(Number * Scale >= 1) || Number * Scale > 1e15)
    return std::nullopt;
  return static_cast<uint64_t>(Number * Scale);
}

namespace {

[[noreturn]] void refuse(const char *Name, const char *Value, const char *Wanted) {
  fprintf(stderr, "rdma: error: %s='%s': %s is expected\n", Name, Value, Wanted);
  _exit(2);
}

/// A number from Least to Most; nothing when the variable is not set.
std::optional<uint64_t> number(const char *Name, uint64_t Least, uint64_t Most, const char *Wanted) {
  const char *Text = getenv(Name);
  if (!Text)
    return std::nullopt;
  uint64_t Value = 0;
  const char *End = Text + strlen(Text);
  auto [Stopped, Error] = std::from_chars(Text, End, Value);
  if (Error != std::errc() || Stopped != End || Value < Least || Value > Most)
    refuse(Name, Text, Wanted);
  return Value;
}

std::optional<uint64_t> duration(const char *Name, const char *Wanted) {
  const char *Text = getenv(Name);
  if (!Text)
    return std::nullopt;
  std::optional<uint64_t> Time = parseDuration(Text);
  if (!Time)
    refuse(Name, Text, Wanted);
  return Time;
}

/// "mlx5_0": the base, and where to count from. False when there is no number, or too much of it all.
bool splitName(const std::string &Name, Settings &S) {
  size_t Digits = Name.find_last_not_of("0123456789") + 1;
  if (!Digits || Digits == Name.size() || Name.size() - Digits > 4 || Name.size() > 40 ||
      Name.find('/') != std::string::npos)
    return false;
  S.DeviceBase = Name.substr(0, Digits);
  S.FirstDevice = static_cast<unsigned>(std::stoul(Name.substr(Digits)));
  return true;
}

Settings read() {
  Settings S;
  if (const char *Text = getenv("RDMA_LINK")) {
    S.Ethernet = std::string(Text) == "ethernet";
    if (!S.Ethernet && std::string(Text) != "infiniband")
      refuse("RDMA_LINK", Text, "infiniband or ethernet");
  }
  if (const char *Text = getenv("RDMA_DEVICE_NAME"); Text && !splitName(Text, S))
    refuse("RDMA_DEVICE_NAME", Text, "a name with a number at its end, such as mlx5_0,");
  if (const char *Text = getenv("RDMA_SCHEDULE")) {
    S.Ordered = std::string(Text) == "ordered";
    S.Weak = S.Ordered || std::string(Text) == "weak";
    if (!S.Weak && std::string(Text) != "strong")
      refuse("RDMA_SCHEDULE", Text, "strong, weak or ordered");
  }
  if (const char *Text = getenv("RDMA_TORN")) {
    S.TornUnit = std::string(Text) == "words" ? 8 : 64;
    if (S.TornUnit == 64 && std::string(Text) != "lines")
      refuse("RDMA_TORN", Text, "words or lines");
    if (!S.Weak)
      refuse("RDMA_TORN", Text, "a weak or ordered schedule, under which parts of a WRITE arrive apart,");
  }
  if (const char *Text = getenv("RDMA_CHECK")) {
    S.Check = std::string(Text) == "abort" ? CheckMode::Abort : CheckMode::Log;
    if (S.Check == CheckMode::Log && std::string(Text) != "log")
      refuse("RDMA_CHECK", Text, "log or abort");
  }
  if (const char *Text = getenv("RDMA_FABRIC")) {
    S.Fabric = Text;
    if (S.Fabric.empty() || S.Fabric.size() > 60)
      refuse("RDMA_FABRIC", Text, "a name of 1 to 60 characters");
  }
  auto Lid = number("RDMA_LID", 1, MaxLid, "a number from 1 to 49151");
  // Room for some nodes before the last LID.
  S.FirstLid = static_cast<uint32_t>(Lid.value_or(1 + fabricNumber(S.Fabric) % (MaxLid - 4096)));
  S.StreamBase = Lid ? 0 : S.FirstLid;
  S.RnrGraceNanoseconds = duration("RDMA_RNR_GRACE", "a time such as 100ms or 5s").value_or(0);
  S.Seed = number("RDMA_SEED", 0, UINT64_MAX, "a number").value_or(S.Seed);
  S.LatencyNanoseconds = duration("RDMA_LATENCY", "a time such as 5us or 1ms").value_or(S.LatencyNanoseconds);
  S.JitterNanoseconds = duration("RDMA_JITTER", "a time such as 5us or 1ms").value_or(0);
  if (const char *Text = getenv("RDMA_BANDWIDTH")) {
    std::optional<uint64_t> Rate = parseRate(Text);
    if (!Rate)
      refuse("RDMA_BANDWIDTH", Text, "a rate such as 100Gb or 12.5GB");
    S.BytesPerSecond = *Rate;
  }
  S.ConnectNanoseconds =
      duration("RDMA_CONNECT_TIMEOUT", "a time such as 500ms or 60s").value_or(S.ConnectNanoseconds);
  S.Nodes =
      static_cast<unsigned>(number("RDMA_NODES", 1, MaxNodes, "a number from 1 to 64").value_or(S.Nodes));
  return S;
}

} // namespace

uint64_t fabricNumber(const std::string &Fabric) {
  struct stat Space = {};
  (void)!stat("/proc/self/ns/net", &Space);
  uint64_t Number = scatterBits({geteuid(), Space.st_ino});
  for (char C : Fabric)
    Number = scatterBits(Number ^ static_cast<unsigned char>(C));
  return Number;
}

const Settings &Settings::get() {
  static const Settings The = read();
  return The;
}

} // namespace rdma::device
