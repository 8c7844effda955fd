#include "analyzer/clang/translate/Arguments.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// The one object that every caller in the sources gives as this argument, or
/// null.
const Value *onlyActual(const Function &F, unsigned Number) {
  const Value *Only = nullptr;
  for (const User *U : F.users()) {
    auto *Call = dyn_cast<CallBase>(U);
    if (!Call || Call->getCalledFunction() != &F || Number >= Call->arg_size())
      return nullptr;
    const Value *Actual = Call->getArgOperand(Number)->stripPointerCasts();
    if (!isa<GlobalVariable>(Actual) && !isa<AllocaInst>(Actual))
      return nullptr;
    if (Only && Only != Actual)
      return nullptr;
    Only = Actual;
  }
  return Only;
}

/// One for each variable of a function; values have no names.
std::string keyOf(const AllocaInst &Local) {
  const Function &F = *Local.getFunction();
  auto All = instructions(F);
  const auto Number =
      std::distance(All.begin(), find_if(All, [&](const Instruction &I) { return &I == &Local; }));
  return F.getName().str() + "/" + std::to_string(Number);
}

/// What the function calls its parameter, also before its stack variable is gone.
std::optional<Named> parameterOf(const Argument &Parameter) {
  if (auto Known = variableOf(&Parameter))
    return Known;
  for (const User *U : Parameter.users())
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == &Parameter)
      if (auto Known = variableOf(Store->getPointerOperand()))
        return Known;
  return std::nullopt;
}

} // namespace

std::vector<GivenObject> givenTo(const Function &F) {
  std::vector<GivenObject> All;
  std::map<std::string, unsigned> Number;
  for (const Argument &Parameter : F.args()) {
    GivenObject &Object = All.emplace_back();
    auto Variable = parameterOf(Parameter);
    const Value *Actual = onlyActual(F, Parameter.getArgNo());
    if (auto *Global = dyn_cast_or_null<GlobalVariable>(Actual))
      Object.Global = Global;
    else if (auto *Local = dyn_cast_or_null<AllocaInst>(Actual))
      Object.Key = keyOf(*Local), Object.Known = true;
    else if (Variable && Parameter.getType()->isPointerTy()) {
      std::string Type = spelt(Variable->Type);
      Object.Key = Type + "#" + std::to_string(Number[Type]++);
    }
  }
  return All;
}

namespace {

bool isPlain(const DIType *Type) {
  Type = strip(Type);
  return !Type || Type->getName() == "char" || Type->getName() == "unsigned char" ||
         Type->getName() == "byte";
}

/// May a pointer to one type lead to an object of the other, or into it?
bool mayShare(const DIType *A, const DIType *B) {
  return isPlain(A) || isPlain(B) || mayContain(A, B) || mayContain(B, A);
}

/// Is there a way of pointers from an object of one type to one of the other?
bool leadsTo(const DIType *From, const DIType *To, unsigned Depth = 0) {
  constexpr unsigned Deepest = 3;
  auto *Struct = dyn_cast_or_null<DICompositeType>(strip(From));
  const DIType *Sought = strip(To);
  if (!Struct || !isa_and_nonnull<DICompositeType>(Sought) || isLibraryType(Struct) || Depth > Deepest)
    return false;
  auto isSought = [&](const DIType *Type) {
    return Type == Sought || (!Sought->getName().empty() && Type->getName() == Sought->getName());
  };
  if (Struct->getTag() == dwarf::DW_TAG_array_type)
    return leadsTo(Struct->getBaseType(), To, Depth);
  return any_of(Struct->getElements(), [&](const DINode *Element) {
    auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
    if (!Member || Member->isStaticMember())
      return false;
    const DIType *Held = strip(Member->getBaseType());
    auto *Derived = dyn_cast_or_null<DIDerivedType>(Held);
    const DIType *Target = Derived ? strip(Derived->getBaseType()) : nullptr;
    return Target ? isSought(Target) || leadsTo(Target, To, Depth + 1) : Held && leadsTo(Held, To, Depth + 1);
  });
}

bool uses(const Thread &T, ObjectId O) {
  return std::any_of(T.Statements.begin(), T.Statements.end(),
                     [&](const Statement &S) { return S.Op.Local.Target == O; });
}

} // namespace

void ArgumentsOfNode::add(const Function &F, ThreadIndex Index, PointsTo &Memory, InstanceId Instance,
                          Inventory &Stock) {
  std::vector<GivenObject> Objects = givenTo(F);
  for (const Argument &Parameter : F.args()) {
    const GivenObject &Object = Objects[Parameter.getArgNo()];
    bool Shown = Object.Global || Object.Key.find('/') != std::string::npos;
    if (!Parameter.getType()->isPointerTy() || Shown || Object.Key.empty())
      continue;
    std::optional<Named> Own = parameterOf(Parameter);
    for (const Pointer &P : Memory.of(Instance, &Parameter))
      if (P.Base->named())
        All.push_back(
            {&F, Index, P.Base, Stock.object(Stock.P.Threads[Index].Home, *P.Base),
             "'" + (Own ? *Own : P.Base->Name).Path + "' of '" + Stock.P.Threads[Index].Name + "'"});
  }
}

/// Once for what parameters of one type are given, at the first of their functions, in an order that programs
/// have in common: those that share a library then say the same of it.
void ArgumentsOfNode::compare(Inventory &Stock, RemarkLog &Log) const {
  std::vector<const Given *> Used;
  for (const Given &G : All)
    if (uses(Stock.P.Threads[G.Index], G.Object))
      Used.push_back(&G);
  std::sort(Used.begin(), Used.end(), [](const Given *A, const Given *B) {
    return std::tie(A->Called, A->Index) < std::tie(B->Called, B->Index);
  });
  std::vector<std::vector<const Given *>> Blocks;
  for (const Given *G : Used) {
    auto Same = std::find_if(Blocks.begin(), Blocks.end(),
                             [&](const auto &Uses) { return Uses.front()->Block == G->Block; });
    if (Same == Blocks.end())
      Same = Blocks.insert(Blocks.end(), std::vector<const Given *>());
    Same->push_back(G);
  }
  auto ofTwoThreads = [](const auto &Uses, const auto &Others) {
    auto another = [&](const Given *G) { return G->Index != Uses.front()->Index; };
    return std::any_of(Uses.begin(), Uses.end(), another) ||
           std::any_of(Others.begin(), Others.end(), another);
  };
  for (auto B = Blocks.begin(); B != Blocks.end(); ++B) {
    const Given *First = nullptr;
    std::vector<ObjectId> Objects;
    for (auto A = Blocks.begin(); A != B; ++A)
      if (const DIType *One = A->front()->Block->Name.Type, *Other = B->front()->Block->Name.Type;
          ofTwoThreads(*A, *B) && (mayShare(One, Other) || leadsTo(One, Other) || leadsTo(Other, One))) {
        First = First ? First : A->front();
        for (const Given *G : *A)
          Objects.push_back(G->Object);
      }
    if (!First)
      continue;
    for (const Given *G : *B)
      Objects.push_back(G->Object);
    Log.add(siteOf(*B->front()->F), {words::OtherType, B->front()->Called, First->Called}, false,
            std::move(Objects));
  }
}

} // namespace rdma::clang_ir
