#include "analyzer/clang/memory/Pointers.h"
#include "analyzer/clang/api/ApiTable.h"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

Pointers::Pointers(Function &F, ScalarEvolution &Evolution, std::string Prefix, OriginTable &Origins,
                   std::vector<Binding> Bound, Pointers *Parent)
    : F(F), Evolution(Evolution), Prefix(std::move(Prefix)), Origins(Origins), Bound(std::move(Bound)),
      Parent(Parent) {
  // Twice: what the first round learns about pointers kept in memory names the places of the second.
  collectStores();
  collectStores();
}

void Pointers::collectStores() {
  std::map<Slot, std::vector<const Value *>> Found;
  std::vector<Copy> Copied;
  for (const Instruction &I : instructions(F)) {
    if (auto *Store = dyn_cast<StoreInst>(&I)) {
      Type *T = Store->getValueOperand()->getType();
      if (T->isPointerTy() || T->isIntegerTy(64))
        for (const Pointer &To : resolve(Store->getPointerOperand()))
          if (To.exact() && To.Base->named())
            Found[{To.Base->Key, To.Low}].push_back(Store->getValueOperand());
    } else if (auto *Move = dyn_cast<MemTransferInst>(&I)) {
      PointerSet To = resolve(Move->getRawDest()), From = resolve(Move->getRawSource());
      auto *Length = dyn_cast<ConstantInt>(Move->getLength());
      if (Length && To.size() == 1 && From.size() == 1 && To[0].exact() && From[0].exact() &&
          To[0].Base->named() && From[0].Base->named())
        Copied.push_back({To[0], From[0], static_cast<std::int64_t>(Length->getZExtValue())});
    }
  }
  Stores = std::move(Found);
  Copies = std::move(Copied);
  Known.clear();
}

const Origin *Pointers::origin(Origin O) {
  std::unique_ptr<Origin> &Entry = Origins[O.Key];
  if (!Entry)
    Entry = std::make_unique<Origin>(std::move(O));
  return Entry.get();
}

PointerSet Pointers::unknown() {
  Origin O;
  O.Key = "?";
  return {Pointer{origin(O), 0, Unbounded}};
}

/// A variable of this thread gets a key of its own even where another one has the same name.
std::string Pointers::keyOf(const Value *V, const std::string &Name) {
  auto [Found, New] = Keys.try_emplace(V);
  if (New) {
    unsigned Number = Names[Name]++;
    Found->second = Prefix + Name + (Number ? "#" + std::to_string(Number) : "");
  }
  return Found->second;
}

const Origin *Pointers::variable(const Value *V, Origin::Kind What) {
  Origin O{What, V, "", variableOf(V).value_or(Named{}), false};
  if (O.Name.Path.empty())
    O.Name.Path = V->hasName() ? V->getName().split('.').first.str() : "temporary";
  O.Key = What == Origin::Kind::Global ? "::" + V->getName().str() : keyOf(V, O.Name.Path);
  return origin(std::move(O));
}

std::string Pointers::pointeeKey(const Pointer &Where, const std::string &Path) const {
  return "*" + Where.Base->Key + (Where.exact() ? "+" + std::to_string(Where.Low) : ":" + Path);
}

const Origin *Pointers::allocation(const CallBase *Call, Origin::Kind What) {
  Origin O{What, Call, "", {}, true};
  for (const User *U : Call->users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    if (!Store || Store->getValueOperand() != Call)
      continue;
    PointerSet Places = resolve(Store->getPointerOperand());
    if (Places.size() != 1 || !Places[0].Base->named())
      continue;
    Named Place = pathAt(Places[0], 8);
    O.Name = {Place.Path, pointee(Place.Type)};
    O.Key = pointeeKey(Places[0], Place.Path);
    O.Holder = Places[0].Base, O.HolderOffset = Places[0].Zeroed;
    return origin(std::move(O));
  }
  if (auto Variable = variableOf(Call))
    O.Name = {Variable->Path, pointee(Variable->Type)};
  else
    O.Name.Path =
        "allocation at line " + std::to_string(Call->getDebugLoc() ? Call->getDebugLoc().getLine() : 0);
  O.Key = keyOf(Call, O.Name.Path);
  return origin(std::move(O));
}

PointerSet Pointers::resolve(const Value *V) {
  if (auto Found = Known.find(V); Found != Known.end())
    return Found->second;
  if (!Open.insert(V).second) {
    Cyclic.insert(V);
    return {};
  }
  std::size_t Before = Finished.size();
  PointerSet Result = compute(V);
  Open.erase(V);
  if (Cyclic.erase(V)) {
    for (Pointer &P : Result)
      P.widen();
    // What was computed meanwhile has not seen the whole of V.
    for (std::size_t I = Before; I < Finished.size(); ++I)
      Known.erase(Finished[I]);
    Finished.resize(Before);
  }
  Finished.push_back(V);
  return Known[V] = std::move(Result);
}

PointerSet Pointers::compute(const Value *V) {
  if (isa<ConstantPointerNull>(V) || isa<UndefValue>(V) || isa<Function>(V))
    return {};
  if (auto *Alias = dyn_cast<GlobalAlias>(V))
    return resolve(Alias->getAliasee());
  if (isa<GlobalVariable>(V))
    return {Pointer{variable(V, Origin::Kind::Global)}};
  if (isa<AllocaInst>(V))
    return {Pointer{variable(V, Origin::Kind::Stack)}};
  if (auto *Gep = dyn_cast<GEPOperator>(V))
    return ofGep(Gep);
  if (auto *Cast = dyn_cast<Operator>(V); Cast && Cast->getOpcode() == Instruction::IntToPtr) {
    PointerSet Found = resolveAddress(Cast->getOperand(0));
    return Found.empty() && !isa<ConstantInt>(Cast->getOperand(0)) ? unknown() : Found;
  }
  if (isa<FreezeInst>(V) || isa<AddrSpaceCastOperator>(V))
    return resolve(cast<User>(V)->getOperand(0));
  if (isa<PHINode>(V))
    return ofMerge(cast<User>(V), 0);
  if (isa<SelectInst>(V))
    return ofMerge(cast<User>(V), 1);
  if (auto *Load = dyn_cast<LoadInst>(V))
    return ofLoad(Load);
  if (auto *Call = dyn_cast<CallBase>(V))
    return ofCall(Call);
  if (auto *Parameter = dyn_cast<Argument>(V))
    return ofArgument(Parameter);
  return unknown();
}

PointerSet Pointers::ofArgument(const Argument *Parameter) {
  for (const Binding &B : Bound)
    if (B.Argument == Parameter)
      return B.Target;
  if (F.getName() == "main")
    return {Pointer{variable(Parameter, Origin::Kind::Foreign)}};
  auto Variable = variableOf(Parameter);
  if (!Variable && !Parameter->hasName())
    return unknown();
  Origin O{Origin::Kind::Pointee, Parameter, "", {}, true};
  O.Name = Variable ? Named{Variable->Path, pointee(Variable->Type)} : Named{Parameter->getName().str()};
  O.Key = keyOf(Parameter, O.Name.Path);
  return {Pointer{origin(std::move(O))}};
}

PointerSet Pointers::ofMerge(const User *Merge, unsigned FirstOperand) {
  // A pointer that a loop moves through an array.
  if (isa<PHINode>(Merge) && Merge->getType()->isPointerTy()) {
    const SCEV *Expression = Evolution.getSCEV(const_cast<User *>(Merge));
    if (auto *Recurrence = dyn_cast<SCEVAddRecExpr>(Expression))
      if (auto *Base = dyn_cast<SCEVUnknown>(Evolution.getPointerBase(Recurrence));
          Base && Base->getValue() != Merge) {
        PointerSet Result = resolve(Base->getValue());
        Sum Offset;
        split(Evolution.removePointerBase(Recurrence), Offset, 0);
        for (Pointer &P : Result)
          P.shift(Offset.Leaves.empty() ? Offset.Low : 0, Offset.Leaves.empty() ? Offset.High : Unbounded);
        return Result;
      }
  }
  PointerSet All;
  for (unsigned I = FirstOperand; I < Merge->getNumOperands(); ++I) {
    const Value *Operand = Merge->getOperand(I);
    PointerSet Some = Operand->getType()->isPointerTy() ? resolve(Operand) : resolveAddress(Operand);
    addAll(All, Some);
  }
  return All;
}

void Pointers::addAll(PointerSet &All, const PointerSet &More) {
  for (const Pointer &P : More) {
    auto Same = [&](const Pointer &Q) { return Q.Base == P.Base && Q.Low == P.Low && Q.High == P.High; };
    if (std::none_of(All.begin(), All.end(), Same))
      All.push_back(P);
  }
}

PointerSet Pointers::ofCall(const CallBase *Call) {
  const Function *Callee = Call->getCalledFunction();
  const ApiRow *Row = Callee ? apiOf(Callee->getName()) : nullptr;
  if (!Row)
    return unknown();
  if (Row->What == Api::Same)
    return resolve(Call->getArgOperand(0));
  switch (Row->What) {
  case Api::Allocate:
    return {Pointer{allocation(Call, Origin::Kind::Heap)}};
  case Api::Foreign:
  case Api::RegMr:
  case Api::CmReg:
  case Api::CreateQp:
  case Api::CreateCq:
    return {Pointer{allocation(Call, Origin::Kind::Foreign)}};
  default:
    return unknown();
  }
}

PointerSet Pointers::ofLoad(const LoadInst *Load) {
  PointerSet All, Places = resolve(Load->getPointerOperand());
  for (const Pointer &Place : Places)
    addAll(All, whatIsFoundAt(Place, Load->getType()->isPointerTy(), 0));
  return All.empty() && Places.empty() ? unknown() : All;
}

/// What a pointer (or an address in an integer) kept at this place points to.
PointerSet Pointers::whatIsFoundAt(const Pointer &Where, bool IsPointer, unsigned Depth) {
  if (!Where.Base->named() || Depth > 8)
    return IsPointer ? unknown() : PointerSet{};
  PointerSet All;
  auto First = Stores.lower_bound({Where.Base->Key, Where.Low});
  for (auto At = First;
       At != Stores.end() && At->first.first == Where.Base->Key && At->first.second <= Where.High; ++At)
    for (const Value *Stored : At->second)
      addAll(All, Stored->getType()->isPointerTy() ? resolve(Stored) : resolveAddress(Stored));
  for (const Copy &C : Copies)
    if (C.To.Base == Where.Base && Where.exact() && C.To.Low <= Where.Low &&
        Where.Low < C.To.Low + C.Length) {
      Pointer From = C.From;
      From.shift(Where.Low - C.To.Low, Where.Low - C.To.Low);
      From.Zeroed += Where.Low - C.To.Low;
      addAll(All, whatIsFoundAt(From, IsPointer, Depth + 1));
    }
  if (All.empty() && Parent && Where.Base->Key.rfind(Prefix, 0) != 0)
    return Parent->whatIsFoundAt(Where, IsPointer, Depth + 1);
  if (!All.empty())
    return All;
  if (Where.High == Unbounded && Where.Strides.empty())
    return IsPointer ? unknown() : PointerSet{};
  return ofPath(Where, IsPointer);
}

std::vector<const Function *> Pointers::functionsStoredIn(const Origin &Block) const {
  std::vector<const Function *> Found;
  for (const auto &[Where, Values] : Stores)
    for (const Value *V : Values)
      if (auto *Stored = dyn_cast<Function>(V); Stored && Where.first == Block.Key)
        Found.push_back(Stored);
  return Found;
}

PointerSet Pointers::ofPath(const Pointer &Where, bool IsPointer) {
  Named Place = pathAt(Where, 8);
  const DIType *Holder = strip(Where.Base->Name.Type);
  if (Holder && Holder->getName() == "ibv_mr") {
    // mr->addr is the registered buffer.
    auto *Register = dyn_cast_or_null<CallBase>(Where.Base->Root);
    if (StringRef(Place.Path).ends_with("addr"))
      return Register && Register->arg_size() > 1 ? resolve(Register->getArgOperand(1)) : unknown();
  }
  if (!IsPointer)
    return {};
  Origin O{
      Origin::Kind::Pointee, nullptr, pointeeKey(Where, Place.Path), {Place.Path, pointee(Place.Type)}, true};
  O.Holder = Where.Base, O.HolderOffset = Where.Zeroed;
  if (Where.Base->What == Origin::Kind::Foreign)
    O.What = Origin::Kind::Foreign;
  return {Pointer{origin(std::move(O))}};
}

PointerSet Pointers::resolveAddress(const Value *Integer) {
  if (auto *Cast = dyn_cast<Operator>(Integer); Cast && Cast->getOpcode() == Instruction::PtrToInt)
    return resolve(Cast->getOperand(0));
  if (auto *Load = dyn_cast<LoadInst>(Integer)) {
    PointerSet All;
    for (const Pointer &Place : resolve(Load->getPointerOperand()))
      addAll(All, whatIsFoundAt(Place, false, 0));
    return All;
  }
  if (isa<PHINode>(Integer) || isa<SelectInst>(Integer)) {
    if (!Open.insert(Integer).second)
      return {};
    PointerSet All = ofMerge(cast<User>(Integer), isa<SelectInst>(Integer) ? 1 : 0);
    Open.erase(Integer);
    return All;
  }
  Sum Parts = decompose(Integer);
  if (Parts.Leaves.size() == 1 && Parts.Leaves[0] == Integer)
    return {};
  PointerSet Result;
  for (const Value *Leaf : Parts.Leaves) {
    PointerSet Base = Leaf->getType()->isPointerTy() ? resolve(Leaf) : resolveAddress(Leaf);
    if (!Base.empty() && Result.empty())
      Result = Base;
  }
  for (Pointer &P : Result) {
    std::int64_t High = Parts.Leaves.size() > 1 ? Unbounded : Parts.High;
    P.shift(Parts.Low, High);
    P.Zeroed += Parts.Low;
  }
  return Result;
}

Named Pointers::pathAt(const Pointer &Where, std::int64_t Size) const {
  const Origin &O = *Where.Base;
  std::int64_t Offset = Where.High == Unbounded || !Where.exact() ? Where.Zeroed : Where.Low;
  Named Object = O.Name;
  bool Indirect = O.Indirect;
  // The memory may be an array of what the pointer to it says.
  std::int64_t Element = sizeOf(Object.Type).value_or(0);
  if (Indirect && Element &&
      (Offset >= Element || std::count(Where.Strides.begin(), Where.Strides.end(), Element))) {
    bool Any = std::count(Where.Strides.begin(), Where.Strides.end(), Element);
    Object.Path += Any ? "[*]" : "[" + std::to_string(Offset / Element) + "]";
    Offset %= Element;
    Indirect = false;
  }
  Named Part = partOf(Object, Indirect, Offset, Size, Where.Strides);
  if (O.Indirect && Part.Path == O.Name.Path)
    Part.Path = "*" + Part.Path;
  return Part;
}

Named Pointers::pathOf(const Value *V) {
  if (auto *Load = dyn_cast<LoadInst>(V)) {
    PointerSet Places = resolve(Load->getPointerOperand());
    if (Places.size() == 1 && Places[0].Base->named())
      return pathAt(Places[0], F.getParent()->getDataLayout().getTypeStoreSize(Load->getType()));
  }
  return variableOf(V).value_or(Named{});
}

} // namespace rdma::clang_ir
