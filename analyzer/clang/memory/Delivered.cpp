// What the NIC delivers into memory of the program: results of READs and atomics, and messages. What was
// there is not there any more, and what comes may be the address of anything.
#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/memory/AccessPaths.h"
#include "analyzer/clang/memory/PointsTo.h"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr unsigned OpcodeMember = 4; // of ibv_send_wr
constexpr unsigned LengthMember = 1; // of ibv_sge

bool isMember(const Value &Place, StringRef Of, unsigned Number) {
  auto *Gep = dyn_cast<GEPOperator>(&Place);
  auto *Struct = Gep ? dyn_cast<StructType>(Gep->getSourceElementType()) : nullptr;
  if (!isOfVerbs(Struct, Of) || Gep->getNumIndices() != 2)
    return false;
  auto *Member = dyn_cast<ConstantInt>(Gep->getOperand(2));
  return Member && Member->equalsInt(Number);
}

/// The parts of an object that are reached by members and indices, and who uses them. Nothing where bytes are
/// counted.
std::optional<std::vector<std::pair<const Value *, const User *>>> usesOf(const Value &Object) {
  std::vector<const Value *> Parts{&Object};
  std::vector<std::pair<const Value *, const User *>> All;
  for (std::size_t I = 0; I < Parts.size(); ++I)
    for (const User *By : Parts[I]->users()) {
      auto *Gep = dyn_cast<GEPOperator>(By);
      if (Gep && !Gep->getSourceElementType()->isAggregateType())
        return std::nullopt;
      if (Gep)
        Parts.push_back(By);
      else
        All.push_back({Parts[I], By});
    }
  return All;
}

bool setsToZero(const User &By) {
  auto *Set = dyn_cast<MemSetInst>(&By);
  auto *Byte = Set ? dyn_cast<ConstantInt>(Set->getValue()) : nullptr;
  return Byte && Byte->isZero();
}

bool onlyLooks(const User &By) {
  return isa<LoadInst>(By) || isa<ICmpInst>(By) || isa<LifetimeIntrinsic>(By) || isa<DbgInfoIntrinsic>(By);
}

/// Does the store touch only the member that its address names? That of the object itself names the first, of
/// so many bytes.
bool staysInside(const StoreInst &Store, const Value &Part, const Value &Object, std::uint64_t FirstBytes) {
  const DataLayout &Layout = Store.getModule()->getDataLayout();
  std::uint64_t Stored = Layout.getTypeStoreSize(Store.getValueOperand()->getType());
  auto *Gep = dyn_cast<GEPOperator>(&Part);
  return Gep ? Stored <= Layout.getTypeStoreSize(Gep->getResultElementType()).getFixedValue()
             : &Part == &Object && Stored <= FirstBytes;
}

/// Does the store touch the opcode, by a structure of another name?
bool touchesOpcode(const StoreInst &Store, const Value &Part, const Value &Request) {
  constexpr std::int64_t RequestSize = 128, OpcodeSize = 4;
  const DataLayout &Layout = Store.getModule()->getDataLayout();
  APInt Ahead(64, 0);
  if (Part.stripAndAccumulateConstantOffsets(Layout, Ahead, true) != &Request)
    return false;
  const std::int64_t At = Ahead.getSExtValue() % RequestSize,
                     Size = Layout.getTypeStoreSize(Store.getValueOperand()->getType());
  return At < layout::OpcodeAt + OpcodeSize && layout::OpcodeAt < At + Size;
}

/// Does every use of the request show that its opcode is that of a WRITE or a SEND?
bool onlySends(const Value &Request) {
  auto Uses = usesOf(Request);
  return Uses && all_of(*Uses, [&](const auto &Use) {
           const auto &[Part, By] = Use;
           if (auto *Store = dyn_cast<StoreInst>(By)) {
             auto *Opcode = dyn_cast<ConstantInt>(Store->getValueOperand());
             if (Store->getValueOperand() == Part)
               return false; // somebody else may find it there
             if (isMember(*Part, "ibv_send_wr", OpcodeMember) || touchesOpcode(*Store, *Part, Request))
               return Opcode && Opcode->getZExtValue() < WrRead;
             return staysInside(*Store, *Part, Request, layout::OpcodeAt);
           }
           auto *Call = dyn_cast<CallBase>(By);
           const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
           const ApiRow *Row = Callee ? apiOf(Callee->getName()) : nullptr;
           return setsToZero(*By) || onlyLooks(*By) || (Row && Row->What == Api::PostSend);
         });
}

/// The most that the lengths of entries of a list add up to, one by one, where every use of the list shows
/// it. Other code has it through a request only, and sets no length there.
std::optional<std::int64_t> longestOf(const Value *List) {
  auto Uses = List ? usesOf(*List) : std::nullopt;
  if (!Uses || !(isa<AllocaInst>(List) || isa<GlobalVariable>(List)))
    return std::nullopt;
  std::int64_t Most = 0;
  for (const auto &[Part, By] : *Uses) {
    auto *Store = dyn_cast<StoreInst>(By);
    if (Store && isMember(*Part, "ibv_sge", LengthMember)) {
      auto *Length = dyn_cast<ConstantInt>(Store->getValueOperand());
      if (!Length)
        return std::nullopt;
      Most = std::max<std::int64_t>(Most, Length->getZExtValue());
    } else if (!(Store && (Store->getValueOperand() == Part ||
                           staysInside(*Store, *Part, *List, layout::SgeLength))) &&
               !setsToZero(*By) && !onlyLooks(*By)) {
      return std::nullopt;
    }
  }
  return Most > 0 ? std::optional(Most) : std::nullopt;
}

/// Does something set the length of an entry that it has by way of a request?
bool setsLengthsElsewhere(const Module &M) {
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (auto *Store = dyn_cast<StoreInst>(&I);
          Store && isMember(*Store->getPointerOperand(), "ibv_sge", LengthMember)) {
        const Value *Object = getUnderlyingObject(Store->getPointerOperand());
        if (!isa<AllocaInst>(Object) && !isa<GlobalVariable>(Object))
          return true;
      }
  return false;
}

/// How far the member reaches that begins at this byte: the outermost one that does. Of an element, the
/// element.
std::int64_t reachOf(const DIType *Type, std::int64_t Offset, bool OfElement) {
  for (Type = strip(Type); Type;) {
    std::int64_t Size = sizeOf(Type).value_or(0);
    auto *Composite = dyn_cast<DICompositeType>(Type);
    if (Size <= 0)
      return Unbounded;
    if (Composite && Composite->getTag() == dwarf::DW_TAG_array_type) {
      const DIType *Element = strip(Composite->getBaseType());
      std::int64_t Bytes = sizeOf(Element).value_or(0);
      if (Bytes <= 0 || (Offset % Bytes == 0 && (!OfElement || !isa<DICompositeType>(Element))))
        return Size - Offset;
      Offset %= Bytes;
      Type = Element;
      continue;
    }
    if (Offset == 0 || !Composite || Composite->getTag() == dwarf::DW_TAG_union_type)
      return Size - Offset;
    const DIDerivedType *Member = memberAt(Composite, Offset, 1);
    if (!Member)
      return Size - Offset;
    Offset -= Member->getOffsetInBits() / 8;
    Type = strip(Member->getBaseType());
  }
  return Unbounded;
}

} // namespace

/// A request of a length that is not known ends where the member or element ends whose address it has.
void PointsTo::deliver(InstanceId I, const CallBase &Post, const PointerSet &Buffers,
                       std::optional<std::int64_t> Length) {
  for (const Pointer &P : Buffers) {
    if (!P.Base->named() || P.Base->What == Origin::Kind::Code || P.Base->What == Origin::Kind::Foreign)
      continue;
    std::int64_t Size = Length ? *Length : reachOf(P.Base->Name.Type, P.Zeroed, !P.Strides.empty());
    write(P, Size, I, {Pointer{Number}});
    auto &All = Arriving[{I, &Post}];
    if (std::none_of(All.begin(), All.end(), [&](const Arrival &A) { return A.At == P && A.Size == Size; }))
      All.push_back({P, Size});
  }
}

/// The buffers of lists of entries.
void PointsTo::deliverList(InstanceId I, const CallBase &Post, const PointerSet &Lists) {
  if (!LengthsInSight)
    LengthsInSight = !setsLengthsElsewhere(*Instances[I]->F.getParent());
  for (const Pointer &List : Lists)
    if (List.Base->named())
      deliver(I, Post, contents({List.Base, List.Low, Unbounded, List.Zeroed, {layout::SgeSize}}, 8, false),
              *LengthsInSight ? longestOf(List.Base->Root) : std::nullopt);
}

/// Of one request of a list, sent or to be received.
void PointsTo::deliverInto(InstanceId I, const CallBase &Post, const Pointer &Request, bool Receives) {
  const Value *Root = Request.Base->Root;
  if (!Receives && Root && OnlySends.try_emplace(Root, false).second)
    OnlySends[Root] = onlySends(*Root);
  if (Receives || !Root || !OnlySends[Root])
    deliverList(I, Post, contents(moved(Request, layout::SgList), 8, true));
}

/// ibv_wr_set_sge and its like, where requests are built that deliver.
void PointsTo::deliverBuilt(InstanceId I, const CallBase &Call, const ApiRow &Row) {
  const Module &M = *Instances[I]->F.getParent();
  constexpr unsigned Buffer = 2;
  auto uses = [&](StringRef Name) {
    return any_of(M, [&](const Function &F) { return F.getName().starts_with(Name) && !F.use_empty(); });
  };
  if (Call.arg_size() <= Buffer || !(uses("ibv_wr_rdma_read") || uses("ibv_wr_atomic")))
    return;
  if (Row.Name == "ibv_wr_set_sge")
    deliver(I, Call, of(I, Call.getArgOperand(Buffer)), std::nullopt);
  else if (Row.Name == "ibv_wr_set_sge_list")
    deliverList(I, Call, of(I, Call.getArgOperand(Buffer)));
}

/// rdma_post_recv, rdma_post_read, and those that take a list.
void PointsTo::deliverCm(InstanceId I, const CallBase &Call, const ApiRow &Row) {
  constexpr unsigned Buffer = 2;
  PointerSet Given = of(I, Call.getArgOperand(Buffer));
  if (Row.Name == "rdma_post_recv" || Row.Name == "rdma_post_read")
    deliver(I, Call, Given, std::nullopt);
  else if (Row.Name == "rdma_post_recvv" || Row.Name == "rdma_post_readv")
    deliverList(I, Call, Given);
}

bool PointsTo::mayDeliver(InstanceId I, const CallBase &Post, const Pointer &Into, std::int64_t Size) const {
  auto Found = Arriving.find({I, &Post});
  return Found != Arriving.end() && any_of(Found->second, [&](const Arrival &A) {
           return A.At.Base == Into.Base && mayMeet(A.At, A.Size, Into, Size);
         });
}

} // namespace rdma::clang_ir
