#include "analyzer/clang/api/ParameterTypes.h"
#include "analyzer/clang/api/CxxStreams.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/AccessPaths.h"
#include "analyzer/clang/memory/Origin.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/BinaryFormat/Dwarf.h>

namespace rdma::clang_ir {

using namespace llvm;

const DIType *parameterType(const CallBase &Call, unsigned Argument) {
  const Function *Callee = calledFunction(Call);
  const DISubprogram *Program = Callee ? Callee->getSubprogram() : nullptr;
  const DISubroutineType *Types = Program ? Program->getType() : nullptr;
  if (!Types || Argument + 1 >= Types->getTypeArray().size())
    return nullptr;
  return Types->getTypeArray()[Argument + 1];
}

Qualified::Qualified(const DIType *T) : Type(T) {
  while (auto *Derived = dyn_cast_or_null<DIDerivedType>(Type)) {
    switch (Derived->getTag()) {
    case dwarf::DW_TAG_const_type:
      Const = true;
      break;
    case dwarf::DW_TAG_typedef:
      Name = Name.empty() ? Derived->getName() : Name;
      break;
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
      break;
    default:
      return;
    }
    Type = Derived->getBaseType();
  }
}

std::int64_t sizeOfSingle(const Qualified &Q) {
  if (std::optional<std::int64_t> Stream = Q.Type ? sizeOfStream(Q.Type->getName()) : std::nullopt)
    return *Stream;
  bool Single = Q.Type && (Q.Type->getName() == "timespec" || Q.Type->getName() == "timeval");
  for (StringRef Prefix : {"pthread_", "sem_t", "mtx_t", "cnd_t", "thrd_t", "time_t", "socklen_t"})
    Single |= Q.Name.starts_with(Prefix);
  return Single ? sizeOf(Q.Type).value_or(Unbounded) : Unbounded;
}

std::optional<Qualified> targetOf(const DIType *Parameter) {
  auto *Derived = dyn_cast_or_null<DIDerivedType>(Qualified(Parameter).Type);
  return Derived ? std::optional(Qualified(Derived->getBaseType())) : std::nullopt;
}

const DIType *pointedTo(const CallBase &Call, unsigned Argument) {
  const std::optional<Qualified> Target = targetOf(parameterType(Call, Argument));
  return Target ? Target->Type : nullptr;
}

bool isHandle(StringRef Type) {
  static const StringSet<> Known = {"ibv_device",
                                    "ibv_context",
                                    "ibv_pd",
                                    "ibv_td",
                                    "ibv_mr",
                                    "ibv_dm",
                                    "ibv_mw",
                                    "ibv_comp_channel",
                                    "ibv_cq",
                                    "ibv_cq_ex",
                                    "ibv_qp",
                                    "ibv_qp_ex",
                                    "ibv_srq",
                                    "ibv_wq",
                                    "ibv_ah",
                                    "ibv_xrcd",
                                    "ibv_flow",
                                    "ibv_counters",
                                    "ibv_rwq_ind_table",
                                    "rdma_event_channel",
                                    "rdma_cm_id",
                                    "rdma_cm_event",
                                    "rdma_addrinfo",
                                    "_IO_FILE"};
  return Known.contains(Type);
}

bool isList(const DIType *Parameter) {
  std::optional<Qualified> Element = targetOf(Parameter);
  std::optional<Qualified> Kept = Element ? targetOf(Element->Type) : std::nullopt;
  return Kept && Kept->Type && !isHandle(Kept->Type->getName()) && !isa<DISubroutineType>(Kept->Type);
}

} // namespace rdma::clang_ir
