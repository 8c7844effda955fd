// The device's own waiting is none of the program's, which the weak clock would count (runtime/preload.c).
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

namespace rdma::device {

/// As sched_yield(2).
inline void giveWay() { syscall(SYS_sched_yield); }

} // namespace rdma::device
