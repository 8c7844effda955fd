// The memory that the NIC rules see: one integer for each object of the program.
#pragma once

#include "analyzer/explorer/State.h"

namespace rdma::explorer {

class NicMemory {
public:
  NicMemory(const Program &P, State &S) : P(P), S(S) {}

  void readLocal(Request &R) {
    R.Value = S.Memory[R.Local];
    S.Order.read(R.First, R.Local);
  }
  void readRemote(Request &R) {
    R.Value = S.Memory[R.Remote];
    S.Order.read(R.First, R.Remote);
  }
  void writeLocal(Request &R) {
    S.Memory[R.Local] = R.Value;
    S.Order.write(R.Third, R.Local);
  }
  void writeRemote(Request &R) {
    S.Memory[R.Remote] = R.Value;
    S.Order.write(R.Second, R.Remote);
  }
  std::optional<Request> readAtomic(Request &R) {
    readRemote(R);
    if (R.IsSwap && R.Value != R.Expected) {
      if (R.Second != NoSlot)
        S.Order.drop(R.Second);
      return std::nullopt;
    }
    Request Write = R;
    Write.Value = R.IsSwap ? R.Desired : R.Value + R.Expected;
    S.Order.beginAtomic(R.Second, R.Remote);
    return Write;
  }
  bool tryLock(const Request &R) {
    bool Free = !(S.Locked & lockOf(R));
    S.Locked |= lockOf(R);
    return Free;
  }
  void unlock(const Request &R) { S.Locked &= ~lockOf(R); }

private:
  std::uint64_t lockOf(const Request &R) const { return std::uint64_t(1) << P.Objects[R.Remote].Home; }
  const Program &P;
  State &S;
};

} // namespace rdma::explorer
