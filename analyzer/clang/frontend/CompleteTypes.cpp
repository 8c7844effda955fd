#include "analyzer/clang/frontend/CompleteTypes.h"

#include <llvm/IR/DebugInfo.h>

namespace rdma::clang_ir {

using namespace llvm;

void completeTypes(Module &All) {
  DebugInfoFinder Finder;
  Finder.processModule(All);
  StringMap<DICompositeType *> Defined;
  for (DIType *Type : Finder.types())
    if (auto *Class = dyn_cast<DICompositeType>(Type))
      if (!Class->isForwardDecl() && !Class->getIdentifier().empty())
        Defined.try_emplace(Class->getIdentifier(), Class);
  auto definitionOf = [&](const DIType *Type) -> DICompositeType * {
    auto *Class = dyn_cast_or_null<DICompositeType>(Type);
    return Class && Class->isForwardDecl() ? Defined.lookup(Class->getIdentifier()) : nullptr;
  };
  constexpr unsigned BaseType = 3; // the operand that getBaseType reads
  for (DIType *Type : Finder.types())
    if (auto *Derived = dyn_cast<DIDerivedType>(Type))
      if (DICompositeType *Full = definitionOf(Derived->getBaseType()))
        Derived->replaceOperandWith(BaseType, Full);
}

} // namespace rdma::clang_ir
