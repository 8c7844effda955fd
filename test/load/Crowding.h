// How crowded the machine is: what takes long there may only be slow.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace rdma::load {

/// How many times as long things take as on a machine of one's own, by the load of the last minute; at most
/// ten times, lest what hangs does so for ever.
inline double crowding() {
  double Load = 0;
  if (getloadavg(&Load, 1) != 1)
    return 1;
  return std::clamp(Load / static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)), 1.0, 10.0);
}

/// Whether somebody who waited since then has waited long enough to call it a hang. Asked often, it looks at
/// the load only behind the time that a quiet machine is given.
template <typename Clock, typename Duration>
bool isHang(typename Clock::time_point Since, Duration OnQuietMachine) {
  auto Waited = Clock::now() - Since;
  return Waited > OnQuietMachine && Waited > OnQuietMachine * crowding();
}

} // namespace rdma::load
