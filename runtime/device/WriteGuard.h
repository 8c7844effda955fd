// Pages that are being moved, and threads of the program that write to them at that moment.
//
// The pages are made read-only for the time of the move. A thread that writes gets a segmentation fault; the
// handler here makes it wait and try again. Faults of any other kind go to the handler that was there before.
// (A system call that writes to such a page in these microseconds fails with EFAULT, and a thread that blocks
// SIGSEGV ends the process.)
#pragma once

namespace rdma::device {

class WriteGuard {
public:
  WriteGuard();
  ~WriteGuard();
  WriteGuard(const WriteGuard &) = delete;
  WriteGuard &operator=(const WriteGuard &) = delete;
};

} // namespace rdma::device
