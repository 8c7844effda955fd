#include "analyzer/clang/api/SystemCalls.h"
#include "analyzer/clang/api/Declared.h"

#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

FutexUse futexUse(std::uint64_t Number, std::uint64_t Operation) {
  constexpr std::uint64_t Futex = 202;
  enum : std::uint64_t { Wait = 0, Wake = 1, WaitBitset = 9, WakeBitset = 10, Private = 128, RealTime = 256 };
  if (Number != Futex)
    return FutexUse::Other;
  switch (Operation & ~(Private | RealTime)) {
  case Wait:
  case WaitBitset:
    return FutexUse::Sleeps;
  case Wake:
  case WakeBitset:
    return FutexUse::Wakes;
  default:
    return FutexUse::Other;
  }
}

FutexUse futexUse(const CallBase &Call) {
  const ApiRow *Row = isa<IntrinsicInst>(Call) ? nullptr : rowOf(Call);
  if (!Row || Row->What != Api::SystemCall || Call.arg_size() < 3)
    return FutexUse::Other;
  auto *Number = dyn_cast<ConstantInt>(Call.getArgOperand(0));
  auto *Operation = dyn_cast<ConstantInt>(Call.getArgOperand(2));
  return Number && Operation ? futexUse(Number->getZExtValue(), Operation->getZExtValue()) : FutexUse::Other;
}

} // namespace rdma::clang_ir
