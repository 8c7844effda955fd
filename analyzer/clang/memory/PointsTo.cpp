#include "analyzer/clang/memory/PointsTo.h"
#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/Kin.h"

#include <llvm/IR/InstIterator.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

bool mayHoldPointer(const Type *T) {
  if (T->isPointerTy() || T->isIntegerTy(64))
    return true;
  if (auto *Struct = dyn_cast<StructType>(T))
    return any_of(Struct->elements(), mayHoldPointer);
  if (auto *Array = dyn_cast<ArrayType>(T))
    return mayHoldPointer(Array->getElementType());
  if (auto *Vector = dyn_cast<VectorType>(T))
    return mayHoldPointer(Vector->getElementType());
  return T->isIntegerTy() && T->getIntegerBitWidth() > 64;
}

Origin *PointsTo::origin(Origin O) {
  std::unique_ptr<Origin> &Entry = Origins[O.Key];
  if (!Entry)
    Entry = std::make_unique<Origin>(std::move(O));
  return Entry.get();
}

const Origin *PointsTo::special(Origin::Kind What, const char *Key) {
  Origin O;
  O.What = What;
  O.Key = Key;
  return origin(std::move(O));
}

/// A variable of an instance gets a key of its own even where another one has the same name.
std::string PointsTo::keyOf(Instance &In, const Value *V, const std::string &Name) {
  auto [Found, New] = In.Keys.try_emplace(V);
  if (New) {
    unsigned Number = In.Names[Name]++;
    Found->second = In.Prefix + Name + (Number ? "#" + std::to_string(Number) : "");
  }
  return Found->second;
}

const Origin *PointsTo::variable(Instance &In, const Value *V, Origin::Kind What) {
  const Origin *&Known = In.Variables[V];
  if (Known)
    return Known;
  Origin O{What, V, "", variableOf(V).value_or(Named{})};
  if (O.Name.Path.empty())
    O.Name.Path = V->hasName() ? V->getName().split('.').first.str() : "temporary";
  O.Key = What == Origin::Kind::Global ? "::" + V->getName().str() : keyOf(In, V, O.Name.Path);
  return Known = origin(std::move(O));
}

InstanceId PointsTo::add(Function &F, std::string Prefix, InstanceId Parent, const CallBase *Start, bool Twin,
                         std::vector<GivenObject> Objects) {
  Instances.push_back(std::make_unique<Instance>(
      Instance{F, std::move(Prefix), Facts(F), true, false, Twin, Parent, Start, std::move(Objects)}));
  return Instances.size() - 1;
}

void PointsTo::addSetup(Function &F, const std::set<const Function *> &Threads) {
  Entries = Threads;
  Instances.push_back(
      std::make_unique<Instance>(Instance{F, "set-up " + F.getName().str() + "/", Facts(F), true, true}));
}

InstanceId PointsTo::residual(Function &F) {
  auto [Found, New] = Residuals.try_emplace(&F, Instances.size());
  if (New) {
    Instances.push_back(
        std::make_unique<Instance>(Instance{F, "in " + F.getName().str() + "/", Facts(F), false}));
    enlist(Instances.size() - 1);
  }
  return Found->second;
}

InstanceId PointsTo::lookInto(Function &F) {
  InstanceId I = residual(F);
  while (Due.any())
    round();
  Filled.clear();
  return I;
}

namespace {

/// Is what comes out a part of an address, or its bits seen as something else?
bool takesApart(const Instruction &Inst) {
  return isa<CastInst>(Inst) && mayHoldPointer(Inst.getOperand(0)->getType()) &&
         !mayHoldPointer(Inst.getType());
}

} // namespace

void PointsTo::addPeersOf(const GlobalVariable &Global, std::int64_t Begin, std::int64_t Size) {
  for (const Pointer &P : of(0, &Global))
    write(moved(P, Begin), Size, Peers, {Pointer{Number}});
}

/// What goes into a computation by a bit pattern, and does not come out as a pointer.
PointerSet PointsTo::lostIn(InstanceId I, const Instruction &Inst, const PointerSet &Now) {
  PointerSet Lost;
  auto *Call = dyn_cast<CallBase>(&Inst);
  const bool Computes =
      isa<BinaryOperator>(Inst) || isa<CastInst>(Inst) ||
      (Call && (isa<IntrinsicInst>(Call) || Call->isInlineAsm()) && !isa<DbgInfoIntrinsic>(Call));
  for (const Use &U : Computes ? Inst.operands() : iterator_range<Use *>(nullptr, nullptr)) {
    // The distance between two places is taken for that between parts of one object.
    const bool Subtracted = Inst.getOpcode() == Instruction::Sub && U.getOperandNo() == 1;
    if (Subtracted || !mayHoldPointer(U->getType()) || isa<Function>(U))
      continue;
    for (const Pointer &P : of(I, U))
      if (P.Base->named() && !isMark(Inst, P) &&
          none_of(Now, [&](const Pointer &Out) { return Out.Base == P.Base; }))
        Lost.push_back(P);
  }
  return Lost;
}

void PointsTo::enlist(InstanceId I) {
  for (const Instruction &Inst : instructions(Instances[I]->F))
    if (mayHoldPointer(Inst.getType()) || takesApart(Inst) || isDifference(Inst) || Inst.mayWriteToMemory() ||
        isa<CallBase>(Inst) || isa<ReturnInst>(Inst)) {
      Steps.emplace_back(I, &Inst);
      Due.add();
    }
}

void PointsTo::solve() {
  Begins = any_of(Instances, [](const auto &In) { return isMain(In->F); });
  for (InstanceId I = 0, Known = Instances.size(); I < Known; ++I)
    enlist(I);
  showNames();
  while (Due.any())
    round();
  // Only now is it known what nothing here sets.
  AllTold = true;
  Due.wakeAllAsked();
  while (Due.any())
    round();
#ifndef NDEBUG
  // Doing every step once more finds nothing new: none was left asleep.
  Due.wakeAll();
  round();
  assert(!Due.any());
#endif
  unite();
}

void PointsTo::round() {
  for (int Next = Due.take(0); Next >= 0; Next = Due.take(Next + 1)) {
    Current = Next;
    perform(Steps[Next].first, *Steps[Next].second);
  }
  spreadOutside();
  settle();
  Current = Nobody;
}

void PointsTo::perform(InstanceId I, const Instruction &Inst) {
  if (mayHoldPointer(Inst.getType())) {
    PointerSet Now = transfer(I, Inst);
    leak(lostIn(I, Inst, Now));
    grow(Instances[I]->Values[&Inst], Now);
  } else if (takesApart(Inst)) {
    leak(of(I, Inst.getOperand(0)));
  }
  measure(I, Inst);
  if (auto *Return = dyn_cast<ReturnInst>(&Inst); Return && Return->getReturnValue() && Instances[I]->Setup)
    show(of(I, Return->getReturnValue()));
  if (Inst.mayWriteToMemory() || isa<CallBase>(Inst))
    apply(I, Inst);
}

const PointerSet &PointsTo::read(Held &Fact) {
  if (Current != Nobody)
    Fact.Asked.add(Current);
  return Fact.All;
}

void PointsTo::grow(Held &Fact, const PointerSet &More) {
  if (addAll(Fact.All, More))
    Fact.Asked.wake(Due);
}

/// What these bytes may hold has grown.
void PointsTo::grown(const Pointer &At, std::int64_t Size) {
  Blocks[At.Base].Asked.wake(At.Low, endOf(At, Size), Due);
}

void PointsTo::grown(const Origin *Whole) { grown({Whole, 0, Unbounded, 0, {1}}, Unbounded); }

/// The name and type of a block say what may be found there, and who may have its address.
void PointsTo::renamed(const Origin *Block) {
  grown(Block);
  if (auto Held = Blocks.find(Block); Held != Blocks.end() && Held->second.written())
    noteWritten(Block);
  AskedOutside.wake(Due);
  wakeKin(*Block, true);
}

namespace {

/// A number that may be a fixed address: neither in the first page, nor one of the last, which say that there
/// is none (MAP_FAILED).
bool isFixedAddress(const ConstantInt &Number) {
  constexpr std::int64_t Page = 4096;
  return Number.getBitWidth() == 64 && (Number.getSExtValue() >= Page || Number.getSExtValue() < -Page);
}

} // namespace

PointerSet PointsTo::of(InstanceId I, const Value *V) {
  if (auto *Fixed = dyn_cast<ConstantInt>(V))
    return {Pointer{isFixedAddress(*Fixed) ? Number : Null}};
  if (isa<ConstantPointerNull>(V))
    return {Pointer{Null}};
  if (isa<UndefValue>(V) || isa<ConstantDataSequential>(V) || isa<BlockAddress>(V) || isa<ConstantFP>(V) ||
      isa<ConstantAggregateZero>(V))
    return {};
  if (isa<Function>(V)) {
    Origin O{Origin::Kind::Code, V, "&" + V->getName().str()};
    return {Pointer{origin(std::move(O))}};
  }
  if (auto *Alias = dyn_cast<GlobalAlias>(V))
    return of(I, Alias->getAliasee());
  if (auto *Global = dyn_cast<GlobalVariable>(V); Global && isMadeByLinker(*Global)) {
    giveBetween(I, *Global);
    return unknown();
  }
  if (isa<GlobalVariable>(V))
    return {Pointer{variable(*Instances[I], V, Origin::Kind::Global)}};
  if (auto *Parameter = dyn_cast<Argument>(V))
    return ofArgument(I, *Parameter);
  // The bits of an address may have come to be a vector of small numbers, or a floating point number.
  if (isa<Instruction>(V))
    return mayHoldPointer(V->getType()) ? read(Instances[I]->Values[V]) : PointerSet{Pointer{Number}};
  if (isa<ConstantExpr>(V) || isa<ConstantAggregate>(V))
    return transfer(I, *cast<User>(V));
  return unknown();
}

/// Every operand may be what comes out.
PointerSet PointsTo::ofAll(InstanceId I, const User &U) {
  PointerSet All;
  for (const Use &Operand : U.operands())
    if (mayHoldPointer(Operand->getType()))
      addAll(All, of(I, Operand));
  return All;
}

std::optional<std::int64_t> PointsTo::constantIndex(const Value *Index) {
  auto *Number = dyn_cast<ConstantInt>(Index);
  return Number ? std::optional(Number->getSExtValue()) : std::nullopt;
}

PointerSet PointsTo::transfer(InstanceId I, const User &U) {
  if (auto *Gep = dyn_cast<GEPOperator>(&U))
    return ofGep(I, *Gep, of(I, Gep->getPointerOperand()), constantIndex,
                 [&](const ArrayType &Array, IndexRange Range, const Value *Index) {
                   return indexInto(Array, Range, Instances[I]->Facts, *Gep, Index, nullptr);
                 });
  if (isa<AllocaInst>(U))
    return {Pointer{variable(*Instances[I], &U, Origin::Kind::Stack)}};
  if (auto *Load = dyn_cast<LoadInst>(&U)) {
    PointerSet All;
    std::int64_t Size = Load->getModule()->getDataLayout().getTypeStoreSize(Load->getType());
    for (const Pointer &Place : of(I, Load->getPointerOperand()))
      addAll(All, contents(Place, Size, !Load->getType()->isIntegerTy()));
    return All;
  }
  if (auto *Modify = dyn_cast<AtomicRMWInst>(&U)) {
    PointerSet All;
    for (const Pointer &Place : of(I, Modify->getPointerOperand()))
      addAll(All, contents(Place, 8, Modify->getType()->isPointerTy()));
    return All;
  }
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&U)) {
    PointerSet All;
    for (const Pointer &Place : of(I, Exchange->getPointerOperand()))
      addAll(All, contents(Place, 8, Exchange->getNewValOperand()->getType()->isPointerTy()));
    return All;
  }
  if (isa<PHINode>(U))
    return ofMerge(I, U, [&](const Value *V) { return of(I, V); });
  if (auto *Call = dyn_cast<CallBase>(&U))
    return ofCall(I, *Call);
  if (isa<SelectInst>(U) || isa<InsertValueInst>(U) || isa<ExtractValueInst>(U) ||
      isa<InsertElementInst>(U) || isa<ExtractElementInst>(U) || isa<ShuffleVectorInst>(U) ||
      isa<FreezeInst>(U) || isa<ConstantAggregate>(U))
    return ofAll(I, U);
  if (auto *Op = dyn_cast<Operator>(&U))
    return ofArithmetic(I, *Op, [&](const Value *V) { return of(I, V); });
  return unknown();
}

static bool declaredRestrict(const Argument &Parameter) {
  const DISubprogram *Described = Parameter.getParent()->getSubprogram();
  const DITypeRefArray Types = Described ? Described->getType()->getTypeArray() : DITypeRefArray();
  const unsigned At = Parameter.getArgNo() + 1; // behind the type of the result
  return Types && Types.size() == Parameter.getParent()->arg_size() + 1 && isRestrict(Types[At]);
}

PointerSet PointsTo::ofArgument(InstanceId I, const Argument &Parameter) {
  Instance &In = *Instances[I];
  if (In.Parent != ~0u || !In.Thread)
    return read(Given[{I, Parameter.getArgNo()}]);
  if (isMain(In.F))
    return {Pointer{variable(In, &Parameter, Origin::Kind::Foreign)}};
  if (!Parameter.getType()->isPointerTy())
    return {Pointer{Number}};
  auto Variable = variableOf(&Parameter);
  if (!Variable && !Parameter.hasName())
    return unknown();
  Named Name =
      Variable ? Named{Variable->Path, clang_ir::pointee(Variable->Type)} : Named{Parameter.getName().str()};
  GivenObject Object;
  if (Parameter.getArgNo() < In.GivenObjects.size())
    Object = In.GivenObjects[Parameter.getArgNo()];
  if (Object.Global) {
    // The topology speaks of it by the parameter's name.
    auto *Block = const_cast<Origin *>(variable(In, Object.Global, Origin::Kind::Global));
    if (!Block->Indirect) {
      Block->Name = Name, Block->Indirect = true;
      renamed(Block);
    }
    return {Pointer{Block}};
  }
  Origin O{Origin::Kind::Pointee, &Parameter, "", Name, true};
  O.Apart = Object.Known || declaredRestrict(Parameter);
  O.Key = Object.Key.empty() ? keyOf(In, &Parameter, Name.Path) : "given " + Object.Key;
  return {Pointer{origin(std::move(O))}};
}

bool PointsTo::writtenElsewhere(InstanceId I, const Pointer &Where, std::int64_t Size) {
  auto foreign = [&](InstanceId Writer) {
    return (Writer != I && Writer != Initial) ||
           (Instances[I]->Twin && Where.Base->What == Origin::Kind::Global);
  };
  return anyWrite(Where, Size, foreign);
}

/// May the one run while the other does? Functions that stayed calls are of both.
bool PointsTo::runsBeside(InstanceId I, InstanceId Other) const {
  auto entryOf = [&](InstanceId Of) {
    while (Instances[Of]->Parent != ~0u)
      Of = Instances[Of]->Parent;
    return Of;
  };
  return !OneAtATime || !Instances[I]->Thread || !Instances[Other]->Thread || entryOf(I) == entryOf(Other);
}

std::optional<std::set<const Function *>> PointsTo::setUpWriters(InstanceId I, const Pointer &Where,
                                                                 std::int64_t Size) {
  std::set<const Function *> All;
  const bool Others = anyWrite(Where, Size, [&](InstanceId Writer) {
    if (Writer == Initial || (Writer == I && !Instances[I]->Twin))
      return false;
    if (Writer == I || Writer == Peers || Writer == Libraries)
      return true;
    if (!Instances[Writer]->Setup)
      return runsBeside(I, Writer);
    All.insert(&Instances[Writer]->F);
    return false;
  });
  return Others ? std::nullopt : std::optional(All);
}

/// Is it none, but a block by the name that the entry has for it?
bool PointsTo::isGivenAs(const Copy &C) const {
  auto Found = GivenAs.find(C.From.Base);
  return Found != GivenAs.end() && Found->second.count(C.To.Base);
}

/// Of those to these bytes, by any name. AlsoGiven: what an entry is given counts as written by its caller.
bool PointsTo::anyWrite(const Pointer &Where, std::int64_t Size, function_ref<bool(InstanceId Writer)> Is,
                        bool AlsoGiven) {
  auto there = [&](const Pointer &At) {
    auto Found = Blocks.find(At.Base);
    return Found != Blocks.end() &&
           (any_of(Found->second.Cells,
                   [&](const Cell &C) { return mayMeet(At, Size, C.At, C.Size) && Is(C.Writer); }) ||
            any_of(Found->second.Copies, [&](const Copy &C) {
              return mayMeet(At, Size, C.To, C.Length) && Is(C.Writer) && (AlsoGiven || !isGivenAs(C));
            }));
  };
  return there(Where) ||
         any_of(WrittenKin,
                [&](const Origin *Other) { return any_of(placesIn(*Other, Where, Size), there); }) ||
         any_of(HandedOver, [&](const auto &By) { return Is(By.first) && handsOver(By.first, Where, Size); });
}

PointerSet PointsTo::freedIn(const std::set<const Function *> &Some) {
  PointerSet All;
  for (const auto &[F, Body] : Residuals)
    if (Some.count(F))
      for (const Instruction &I : instructions(*F))
        if (auto *Call = dyn_cast<CallBase>(&I))
          if (const ApiRow *Row = rowOf(*Call); Row && Row->What == Api::Frees)
            addAll(All, of(Body, Call->getArgOperand(0)));
  return All;
}

bool PointsTo::writtenUnseen(const Pointer &Where, std::int64_t Size) {
  auto isUnseen = [&](InstanceId Writer) {
    return Writer == Peers || Writer == Libraries ||
           (Writer != Initial && !Instances[Writer]->Thread && !Instances[Writer]->Setup);
  };
  return anyWrite(Where, Size, isUnseen) || any_of(Arriving, [&](const auto &Post) {
           return any_of(Post.second, [&](const Arrival &A) { return mayShare(A.At, A.Size, Where, Size); });
         });
}

std::set<const Function *> PointsTo::writers(const Pointer &Where, std::int64_t Size) {
  std::set<const Function *> All;
  anyWrite(Where, Size, [&](InstanceId Writer) {
    if (Writer != Initial && Writer != Peers)
      All.insert(Writer == Libraries ? nullptr : &Instances[Writer]->F);
    return false;
  });
  return All;
}

} // namespace rdma::clang_ir
