#include "analyzer/clang/translate/RemoteFields.h"
#include "analyzer/clang/memory/Kin.h"
#include "analyzer/clang/translate/Exchanged.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/IR/InstIterator.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr std::int64_t AddressSize = 8;

bool isZero(const Value *V) {
  auto *Number = dyn_cast<Constant>(V);
  return Number && Number->isNullValue();
}

bool isAnything(const Pointer &P) { return P.Base->What == Origin::Kind::Unknown; }

} // namespace

std::string RemoteFields::path(const Value *Leaf) { return Where.pathOf(inHostOrder(Leaf)).Path; }

std::vector<Sum> RemoteFields::sums(const Value *Address) {
  std::vector<Sum> All;
  addSums(Address, All, 0);
  return All;
}

void RemoteFields::addSums(const Value *Address, std::vector<Sum> &All, unsigned Depth) {
  constexpr unsigned Deepest = 8;
  Sum Parts = Where.decompose(Address);
  // A number that is kept beside the address says where in the region.
  if (Parts.Leaves.size() > 1 || Parts.Low != Parts.High) {
    Sum Known = Where.decompose(Address, [this](const LoadInst &Load) -> std::optional<std::uint64_t> {
      const MemoryReader::Numbers Found = names(&Load).empty() ? Memory.constants(&Load) : std::nullopt;
      return Found && Found->size() == 1 ? std::optional(Found->front()) : std::nullopt;
    });
    if (!Known.Leaves.empty())
      Parts = std::move(Known);
  }
  auto *Field = Parts.Leaves.size() == 1 ? dyn_cast<LoadInst>(inHostOrder(Parts.Leaves[0])) : nullptr;
  std::vector<const Value *> Stored;
  if (Field && Depth < Deepest)
    Stored = Memory.alternatives(Field);
  if (Stored.empty() || is_contained(Stored, Field)) {
    if (!is_contained(All, Parts))
      All.push_back(std::move(Parts));
    return;
  }
  for (const Value *V : Stored) {
    std::vector<Sum> Behind;
    addSums(V, Behind, Depth + 1);
    for (Sum &Next : Behind) {
      Next.add(Parts.Low, Parts.High);
      if (!is_contained(All, Next))
        All.push_back(std::move(Next));
    }
  }
}

/// A store of an address that the topology names is told from one of what comes from outside.
RemoteFields::Held RemoteFields::stored(const Asked &Field, const StoreInst &Store, const Pointer &Target) {
  const Value *Stored = Store.getValueOperand();
  if (isZero(Stored) || !Stored->getType()->isIntOrPtrTy())
    return Held::AsGiven;
  if (F.getParent()->getDataLayout().getTypeStoreSize(Stored->getType()) != AddressSize)
    return isAnything(Target) ? Held::AsGiven : Held::Unknown;
  Held Found = Held::AsGiven;
  for (const Sum &S : sums(Stored))
    for (const Value *Leaf : S.Leaves) {
      std::vector<RemoteName> Names = names(Leaf);
      bool Same = Names.empty() ? path(Leaf) == Field.Path : Names == Field.Names;
      if (!Same && !Names.empty())
        return Held::Unknown;
      if (Same && (S.Leaves.size() > 1 || S.Low != 0 || S.High != 0))
        Found = Held::Moved;
    }
  return Found;
}

RemoteFields::Held RemoteFields::copied(const Asked &Field, const AnyMemTransferInst &Copy,
                                        const Pointer &Target) {
  std::int64_t Step = stepOf(Target, Field.Place);
  bool Exact = Target.exact() && Field.Place.exact() && !isAnything(Target);
  std::int64_t Ahead = Exact      ? Field.Place.Low - Target.Low
                       : Step > 1 ? aheadOf(Target, Field.Place, Step)
                                  : Unbounded;
  auto *Length = dyn_cast<ConstantInt>(Copy.getLength());
  bool Whole = Ahead >= 0 && (!Length || Ahead <= Length->getSExtValue() - AddressSize);
  if (!Whole)
    return isAnything(Target) ? Held::AsGiven : Held::Unknown;
  for (const Pointer &From : Where.resolve(Copy.getRawSource())) {
    std::vector<RemoteName> Names;
    if (From.Base->named())
      Names = T.regions(Entry, Where.pathAt(moved(From, Ahead), AddressSize).Path);
    if (!Names.empty() && Names != Field.Names)
      return Held::Unknown;
  }
  return Held::AsGiven;
}

RemoteFields::Held RemoteFields::stores(const Asked &Field) {
  Held Found = Held::AsGiven;
  for (const Instruction &I : instructions(F)) {
    auto *Store = dyn_cast<StoreInst>(&I);
    auto *Copy = dyn_cast<AnyMemTransferInst>(&I);
    if ((!Store && !Copy) || (Field.Before && !isPotentiallyReachable(&I, Field.Before)))
      continue;
    std::int64_t Length =
        Store ? F.getParent()->getDataLayout().getTypeStoreSize(Store->getValueOperand()->getType())
              : Unbounded;
    for (const Pointer &Target : Where.resolve(Store ? Store->getPointerOperand() : Copy->getRawDest())) {
      const bool InBlock = isAnything(Target) || Target.Base == Field.Place.Base;
      for (const Pointer &Place : InBlock ? PointerSet{Target} : placesIn(*Field.Place.Base, Target, Length))
        if (isAnything(Place) || mayMeet(Place, Length, Field.Place, AddressSize))
          Found = std::max(Found, Store ? stored(Field, *Store, Place) : copied(Field, *Copy, Place));
    }
  }
  return Found;
}

RemoteFields::Held RemoteFields::heldIn(const LoadInst &Field, RemoteFields &Reader,
                                        ArrayRef<std::unique_ptr<RemoteFields>> Process) {
  Held Found = Held::AsGiven;
  for (const Pointer &Place : Reader.Where.resolve(Field.getPointerOperand()))
    for (const std::unique_ptr<RemoteFields> &Thread : Process)
      Found = std::max(Found, Thread->stores({Place, Reader.path(&Field), Reader.names(&Field),
                                              Thread.get() == &Reader ? &Field : nullptr}));
  return Found;
}

} // namespace rdma::clang_ir
