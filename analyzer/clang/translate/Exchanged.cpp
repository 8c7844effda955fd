#include "analyzer/clang/translate/Exchanged.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;

MemberKey memberAt(const Pointer &Where) {
  const DIType *Type = Where.Base ? strip(Where.Base->Name.Type) : nullptr;
  std::int64_t Offset = Where.Zeroed;
  MemberKey Key;
  for (unsigned Depth = 0; Depth < 16 && Type; ++Depth) {
    auto *Composite = dyn_cast<DICompositeType>(Type);
    if (!Composite)
      break;
    Type = nullptr;
    if (Composite->getTag() == dwarf::DW_TAG_array_type) {
      Type = strip(Composite->getBaseType());
      std::int64_t Bytes = sizeOf(Type).value_or(0);
      Offset = Bytes ? Offset % Bytes : Offset;
      continue;
    }
    if (!Composite->getName().empty())
      Key = Composite->getName().str() + " + " + std::to_string(Offset);
    for (const DINode *Element : Composite->getElements()) {
      auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
      if (!Member || Member->isStaticMember())
        continue;
      std::int64_t Begin = Member->getOffsetInBits() / 8, Bytes = sizeOf(Member->getBaseType()).value_or(0);
      if (Begin <= Offset && Offset < Begin + Bytes) {
        Offset -= Begin;
        Type = strip(Member->getBaseType());
        break;
      }
    }
  }
  return Key;
}

const Value *inHostOrder(const Value *V) {
  for (unsigned Steps = 0; Steps < 8; ++Steps) {
    if (auto *Cast = dyn_cast<CastInst>(V)) {
      V = Cast->getOperand(0);
      continue;
    }
    auto *Call = dyn_cast<CallBase>(V);
    const Function *Callee = Call && Call->arg_size() == 1 ? Call->getCalledFunction() : nullptr;
    if (!Callee || !(Callee->getName().starts_with("llvm.bswap") || Callee->getName() == "htonl"))
      break;
    V = Call->getArgOperand(0);
  }
  return V;
}

void seeStores(Function &F, Pointers &Where, Exchanged &Into) {
  for (Instruction &I : instructions(F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    Type *Stored = Store ? Store->getValueOperand()->getType() : nullptr;
    if (!Stored || !(Stored->isPointerTy() || Stored->isIntegerTy(64)))
      continue;
    const Value *From = inHostOrder(Store->getValueOperand());
    for (const Pointer &At : Where.resolve(Store->getPointerOperand())) {
      MemberKey Key = memberAt(At);
      if (Key.empty())
        continue;
      if (auto *Load = dyn_cast<LoadInst>(From))
        for (const Pointer &Source : Where.resolve(Load->getPointerOperand()))
          if (MemberKey Other = memberAt(Source); !Other.empty() && Other != Key)
            Into.CopiedFrom[Key].insert(Other);
      PointerSet Held = From->getType()->isPointerTy() ? Where.resolve(From) : Where.resolveAddress(From);
      for (const Pointer &P : Held)
        if (P.Base->named() && P.Base->What != Origin::Kind::Foreign)
          Into.Filled[Key].insert(P.Zeroed == 0 ? P.Base->Name.Path : Where.pathAt(P, 1).Path);
    }
  }
}

std::set<std::string> memoryBehind(const std::string &Path, const Exchanged &Mine, const Exchanged &Other) {
  std::set<std::string> All;
  std::set<MemberKey> Seen;
  std::vector<MemberKey> Work;
  if (auto Found = Mine.Taken.find(Path); Found != Mine.Taken.end())
    Work.assign(Found->second.begin(), Found->second.end());
  while (!Work.empty()) {
    MemberKey Key = Work.back();
    Work.pop_back();
    if (!Seen.insert(Key).second)
      continue;
    if (auto Filled = Other.Filled.find(Key); Filled != Other.Filled.end())
      All.insert(Filled->second.begin(), Filled->second.end());
    for (const Exchanged *Side : {&Mine, &Other})
      if (auto Copied = Side->CopiedFrom.find(Key); Copied != Side->CopiedFrom.end())
        Work.insert(Work.end(), Copied->second.begin(), Copied->second.end());
  }
  return All;
}

} // namespace rdma::clang_ir
