#include "analyzer/clang/translate/Understand.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

// Memory of another address space (thread-control blocks, ...) has no name here.
Meaning Understand::visitLoadInst(LoadInst &I) {
  return I.getPointerAddressSpace() == 0 ? Meaning::Translated : Meaning::Unknown;
}

// A non-temporal store may be seen after later stores, which no CPU model of ours allows.
Meaning Understand::visitStoreInst(StoreInst &I) {
  bool Streams = I.hasMetadata(LLVMContext::MD_nontemporal);
  return I.getPointerAddressSpace() == 0 && !Streams ? Meaning::Translated : Meaning::Unknown;
}

Meaning Understand::visitAtomicCmpXchgInst(AtomicCmpXchgInst &I) {
  return I.getPointerAddressSpace() == 0 ? Meaning::Translated : Meaning::Unknown;
}

Meaning Understand::visitAtomicRMWInst(AtomicRMWInst &I) {
  return I.getPointerAddressSpace() == 0 ? Meaning::Translated : Meaning::Unknown;
}

Meaning Understand::visitCallBase(CallBase &I) {
  // setjmp and its like: control comes back here from anywhere.
  return I.hasFnAttr(Attribute::ReturnsTwice) ? Meaning::Unknown : Meaning::Translated;
}

Meaning Understand::visitIntrinsicInst(IntrinsicInst &I) {
  if (isa<AnyMemIntrinsic>(I))
    return isa<MemIntrinsic>(I) ? Meaning::Translated : Meaning::Unknown;
  switch (I.getIntrinsicID()) {
  case Intrinsic::x86_sse2_mfence:
  // What the NIC reads of a variable behind its end is anything.
  case Intrinsic::lifetime_end:
  case Intrinsic::stackrestore:
    return Meaning::Translated;
  // Order stores with stores or loads with loads: x86 does so anyway.
  case Intrinsic::x86_sse_sfence:
  case Intrinsic::x86_sse2_lfence:
  case Intrinsic::x86_sse2_pause:
  // Move cache lines; change no value.
  case Intrinsic::prefetch:
  case Intrinsic::x86_sse2_clflush:
  case Intrinsic::x86_clflushopt:
  case Intrinsic::x86_clwb:
  case Intrinsic::x86_rdtsc:
  case Intrinsic::x86_rdtscp:
  case Intrinsic::readcyclecounter:
  // Memory of the function itself.
  case Intrinsic::lifetime_start:
  case Intrinsic::invariant_start:
  case Intrinsic::invariant_end:
  case Intrinsic::stacksave:
  case Intrinsic::vastart:
  case Intrinsic::vaend:
  // The thread ends here.
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap:
    return Meaning::Nothing;
  default:
    break;
  }
  bool Harmless = I.isAssumeLikeIntrinsic() || I.doesNotAccessMemory() || I.onlyAccessesInaccessibleMemory();
  return Harmless && !I.hasFnAttr(Attribute::ReturnsTwice) ? Meaning::Nothing : Meaning::Unknown;
}

namespace {

Assembly understandLine(StringRef Line) {
  auto [Word, Rest] = Line.split(' ');
  Word = Word.trim();
  if (Word == "lock") {
    // The cheap fence: lock; addl $0, 0(%rsp). Other locked instructions change what they are given.
    Rest = Rest.trim();
    bool Adds = Rest.starts_with("add") || Rest.starts_with("or");
    bool Zero = Rest.contains("$$0,") || Rest.contains("$$0x0,");
    return Adds && Zero && (Rest.contains("%rsp") || Rest.contains("%esp")) ? Assembly::Fence
                                                                            : Assembly::Unknown;
  }
  if (Word == "mfence")
    return Assembly::Fence;
  if (Word == "rep" && Rest.trim() == "nop")
    return Assembly::Nothing;
  for (StringRef Known : {"", "nop", "pause", "sfence", "lfence", "rdtsc", "rdtscp", "cpuid", "bswap",
                          "bswapl", "bswapq", "hlt", "int3", "ud2"})
    if (Word == Known)
      return Assembly::Nothing;
  for (StringRef Known : {"prefetch", "clflush", "clwb"})
    if (Word.starts_with(Known))
      return Assembly::Nothing;
  return Assembly::Unknown;
}

} // namespace

Assembly understandAssembly(StringRef Text) {
  SmallVector<StringRef, 8> Lines;
  std::string Joined;
  // A comment ends with its line, whatever semicolons are in it.
  for (StringRef Line : split(Text, '\n'))
    Joined += Line.split('#').first.str() + "\n";
  std::replace(Joined.begin(), Joined.end(), '\n', ';');
  std::replace(Joined.begin(), Joined.end(), '\t', ' ');
  // "lock; addl" is one instruction.
  for (const char *Split : {"lock;", "lock ;"})
    for (std::size_t At; (At = Joined.find(Split)) != std::string::npos;)
      Joined.replace(At, StringRef(Split).size(), "lock ");
  for (const char *Split : {"rep;", "rep ;"})
    for (std::size_t At; (At = Joined.find(Split)) != std::string::npos;)
      Joined.replace(At, StringRef(Split).size(), "rep ");
  StringRef(Joined).split(Lines, ';');
  Assembly All = Assembly::Nothing;
  for (StringRef Line : Lines)
    All = std::max(All, understandLine(Line.trim()));
  return All;
}

} // namespace rdma::clang_ir
