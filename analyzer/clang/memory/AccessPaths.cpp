#include "analyzer/clang/memory/AccessPaths.h"
#include "analyzer/clang/frontend/LibraryHeaders.h"
#include "analyzer/clang/frontend/Spelling.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <set>

namespace rdma::clang_ir {

using namespace llvm;

const DIType *strip(const DIType *Type) {
  while (auto *Derived = dyn_cast_or_null<DIDerivedType>(Type)) {
    switch (Derived->getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_atomic_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_member:
    case dwarf::DW_TAG_inheritance:
      Type = Derived->getBaseType();
      continue;
    default:
      return Type;
    }
  }
  return Type;
}

std::string spelt(const DIType *Type) {
  Type = strip(Type);
  if (!Type)
    return "void";
  if (auto *Derived = dyn_cast<DIDerivedType>(Type))
    return spelt(Derived->getBaseType()) + "*";
  return Type->getName().empty() ? (Type->getFilename() + ":" + Twine(Type->getLine())).str()
                                 : Type->getName().str();
}

const DIType *pointee(const DIType *Type) {
  auto *Derived = dyn_cast_or_null<DIDerivedType>(strip(Type));
  return Derived ? strip(Derived->getBaseType()) : nullptr;
}

bool isRestrict(const DIType *Type) {
  while (auto *Derived = dyn_cast_or_null<DIDerivedType>(Type)) {
    if (Derived->getTag() == dwarf::DW_TAG_restrict_type || Derived->getTag() == dwarf::DW_TAG_pointer_type)
      return Derived->getTag() == dwarf::DW_TAG_restrict_type;
    Type = Derived->getBaseType();
  }
  return false;
}

std::optional<std::int64_t> sizeOf(const DIType *Type) {
  Type = strip(Type);
  if (!Type || Type->getSizeInBits() == 0)
    return std::nullopt;
  return Type->getSizeInBits() / 8;
}

std::uint64_t alignmentOf(const DIType *Type) {
  Type = strip(Type);
  auto *Composite = dyn_cast_or_null<DICompositeType>(Type);
  if (!Composite || Composite->getTag() == dwarf::DW_TAG_enumeration_type) {
    const std::uint64_t Size = sizeOf(Type).value_or(1);
    return isPowerOf2_64(Size) ? Size : 1;
  }
  if (Composite->getTag() == dwarf::DW_TAG_array_type)
    return alignmentOf(Composite->getBaseType());
  std::uint64_t Most = 1;
  for (const DINode *Element : Composite->getElements()) {
    auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
    if (!Member || Member->isStaticMember())
      continue;
    std::uint64_t Own = alignmentOf(Member->getBaseType());
    if (Member->isBitField() || Member->getOffsetInBits() / 8 % Own != 0)
      return 1; // packed
    Most = std::max(Most, Own);
  }
  return sizeOf(Type).value_or(1) % Most == 0 ? Most : 1;
}

/// Types that are not known are taken for such; those that are deeper than buffers ever are, too.
static bool isPlainData(const DIType *Type, unsigned Depth) {
  constexpr unsigned Deepest = 6;
  Type = strip(Type);
  auto *Composite = dyn_cast_or_null<DICompositeType>(Type);
  if (!Composite || Depth > Deepest)
    return !isa_and_nonnull<DIDerivedType, DISubroutineType>(Type);
  if (Composite->getTag() == dwarf::DW_TAG_array_type)
    return isPlainData(Composite->getBaseType(), Depth + 1);
  return Composite->getTag() == dwarf::DW_TAG_enumeration_type ||
         all_of(Composite->getElements(), [&](const DINode *Element) {
           auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
           return !Member || Member->isStaticMember() || isPlainData(Member->getBaseType(), Depth + 1);
         });
}

bool isPlainData(const DIType *Type) { return isPlainData(Type, 0); }

std::vector<const DIDerivedType *> membersOf(const DICompositeType &Struct) {
  std::vector<const DIDerivedType *> All;
  for (const DINode *Element : Struct.getElements())
    if (auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
        Member && !Member->isStaticMember() &&
        (Member->getTag() == dwarf::DW_TAG_member || Member->getTag() == dwarf::DW_TAG_inheritance))
      All.push_back(Member);
  return All;
}

const DIDerivedType *memberAt(const DICompositeType *Struct, std::int64_t Offset, std::int64_t Size) {
  const DIDerivedType *Best = nullptr;
  for (const DIDerivedType *Member : membersOf(*Struct)) {
    std::int64_t Begin = Member->getOffsetInBits() / 8, Bytes = sizeOf(Member->getBaseType()).value_or(0);
    if (Begin <= Offset && Offset < Begin + Bytes &&
        Offset + std::max<std::int64_t>(Size, 1) <= Begin + Bytes)
      if (!Best || sizeOf(Best->getBaseType()).value_or(0) > Bytes)
        Best = Member;
  }
  return Best;
}

std::optional<std::int64_t> lastArrayIn(const DIType *Struct) {
  std::int64_t Begin = 0;
  auto *Composite = dyn_cast_or_null<DICompositeType>(strip(Struct));
  while (Composite && Composite->getTag() != dwarf::DW_TAG_array_type) {
    const DIDerivedType *Last = nullptr;
    for (const DINode *Element : Composite->getElements())
      if (auto *Member = dyn_cast_or_null<DIDerivedType>(Element);
          Member && !Member->isStaticMember() &&
          (!Last || Last->getOffsetInBits() <= Member->getOffsetInBits()))
        Last = Member;
    Begin += Last ? Last->getOffsetInBits() / 8 : 0;
    Composite = Last ? dyn_cast_or_null<DICompositeType>(strip(Last->getBaseType())) : nullptr;
  }
  return Composite ? std::optional(Begin) : std::nullopt;
}

bool restrictAt(const DIType *Struct, std::int64_t Offset) {
  const DIType *Type = Struct;
  while (auto *Composite = dyn_cast_or_null<DICompositeType>(strip(Type))) {
    auto *Member = memberAt(Composite, Offset, sizeof(void *));
    Offset -= Member ? Member->getOffsetInBits() / 8 : 0;
    Type = Member ? Member->getBaseType() : nullptr;
  }
  return isRestrict(Type);
}

namespace {

/// Names inside the standard library say nothing to a user: p._M_t._M_head_impl is p.
bool isHidden(StringRef Member) {
  return Member.empty() || Member.starts_with("_M_") || Member.starts_with("_vptr") ||
         Member.starts_with("__");
}

void append(std::string &Path, bool &Indirect, const std::string &Member) {
  Path += (Indirect ? "->" : ".") + Member;
  Indirect = false;
}

} // namespace

Named partOf(const Named &Object, bool Indirect, std::int64_t Offset, std::int64_t Size,
             const std::vector<std::int64_t> &Strides) {
  Named Part{Object.Path, strip(Object.Type)};
  for (unsigned Depth = 0; Depth < 16; ++Depth) {
    auto *Composite = dyn_cast_or_null<DICompositeType>(Part.Type);
    if (!Composite)
      break;
    if (Composite->getTag() == dwarf::DW_TAG_array_type) {
      const DIType *Element = strip(Composite->getBaseType());
      std::int64_t Bytes = sizeOf(Element).value_or(0);
      if (!Bytes || (Size && Size > Bytes))
        break;
      bool Any = std::find(Strides.begin(), Strides.end(), Bytes) != Strides.end();
      Part.Path += Any ? "[*]" : "[" + std::to_string(Offset / Bytes) + "]";
      Indirect = false;
      Offset %= Bytes;
      Part.Type = Element;
      continue;
    }
    if (Size && Offset == 0 && sizeOf(Composite) == Size && Depth && Composite->getElements().size() != 1)
      break;
    const DIDerivedType *Member = memberAt(Composite, Offset, Size);
    if (!Member)
      break;
    if (!isHidden(Member->getName()) && Member->getTag() == dwarf::DW_TAG_member)
      append(Part.Path, Indirect, Member->getName().str());
    Offset -= Member->getOffsetInBits() / 8;
    Part.Type = strip(Member->getBaseType());
  }
  return Part;
}

std::optional<Stretch> stretchOf(const DIType *Type, StringRef Path) {
  Stretch Found{0, sizeOf(Type).value_or(0)};
  for (Type = strip(Type); !Path.empty() && Type; Type = strip(Type)) {
    auto *Composite = dyn_cast<DICompositeType>(Type);
    if (!Composite)
      return std::nullopt;
    std::int64_t Number = 0;
    if (Path.consume_front("[")) {
      bool Any = Path.consume_front("*"); // any element: all of them
      Type = Composite->getBaseType();
      if ((!Any && Path.consumeInteger(10, Number)) || !Path.consume_front("]") || !Type)
        return std::nullopt;
      if (Any)
        return Found;
      Found.Size = sizeOf(Type).value_or(0);
      Found.Begin += Number * Found.Size;
      continue;
    }
    if (!Path.consume_front("."))
      return std::nullopt;
    StringRef Name = Path.take_until([](char C) { return C == '.' || C == '['; });
    Path = Path.drop_front(Name.size());
    const DIDerivedType *Member = nullptr;
    for (const DINode *Element : Composite->getElements())
      if (auto *One = dyn_cast_or_null<DIDerivedType>(Element); One && One->getName() == Name)
        Member = One;
    if (!Member)
      return std::nullopt;
    Type = Member->getBaseType();
    Found = {Found.Begin + static_cast<std::int64_t>(Member->getOffsetInBits() / 8),
             sizeOf(Type).value_or(0)};
  }
  return Found.Size > 0 ? std::optional(Found) : std::nullopt;
}

namespace {

unsigned inlineDepth(const DILocation *Where) {
  unsigned Depth = 0;
  while (Where && (Where = Where->getInlinedAt()))
    ++Depth;
  return Depth;
}

/// Nearest to the entry function first; a variable of the programmer before one the compiler made up.
void consider(std::optional<Named> &Best, unsigned &BestDepth, const DbgVariableRecord &Record) {
  const DILocalVariable *Variable = Record.getVariable();
  if (!Variable || Variable->getName().empty())
    return;
  unsigned Depth = inlineDepth(Record.getDebugLoc().get());
  if (Best && Depth >= BestDepth)
    return;
  Named Found{Variable->getName().str(), strip(Variable->getType())};
  if (auto Fragment = Record.getExpression()->getFragmentInfo())
    Found = partOf(Found, false, Fragment->OffsetInBits / 8, Fragment->SizeInBits / 8);
  Best = Found;
  BestDepth = Depth;
}

/// The parameter that it is, whatever else is set to its value: the first that its function calls so.
const DILocalVariable *parameterOf(const Argument &Given) {
  std::set<const DILocalVariable *> Seen;
  for (const Instruction &I : Given.getParent()->getEntryBlock())
    for (DbgVariableRecord &Record : filterDbgVars(I.getDbgRecordRange())) {
      const DILocalVariable *Variable = Record.getVariable();
      if (Record.getDebugLoc().getInlinedAt() || !Variable->isParameter() || !Seen.insert(Variable).second)
        continue;
      if (Record.getNumVariableLocationOps() == 1 && Record.getVariableLocationOp(0) == &Given)
        return Variable;
    }
  return nullptr;
}

/// The parameter's variable, where the program takes its address: what is given is put there first.
std::optional<Named> slotOf(const Argument &Given) {
  for (const User *U : Given.users()) {
    auto *Store = dyn_cast<StoreInst>(U);
    auto *Slot = Store ? dyn_cast<AllocaInst>(Store->getPointerOperand()) : nullptr;
    if (!Slot || Store->getValueOperand() != &Given || Slot->getAllocatedType() != Given.getType())
      continue;
    for (DbgVariableRecord *Record : findDVRDeclares(const_cast<AllocaInst *>(Slot)))
      if (const DILocalVariable *Variable = Record->getVariable();
          Variable->isParameter() && !Record->getDebugLoc().getInlinedAt())
        return Named{Variable->getName().str(), strip(Variable->getType())};
  }
  return std::nullopt;
}

std::optional<Named> globalName(const GlobalVariable *Global) {
  SmallVector<DIGlobalVariableExpression *, 1> Expressions;
  Global->getDebugInfo(Expressions);
  if (Expressions.empty())
    return Named{demangle(Global->getName().str())};
  const DIGlobalVariable *Variable = Expressions.front()->getVariable();
  return Named{Variable->getName().str(), strip(Variable->getType())};
}

} // namespace

std::optional<Named> variableOf(const Value *V) {
  if (auto *Global = dyn_cast<GlobalVariable>(V))
    return globalName(Global);
  SmallVector<DbgVariableIntrinsic *, 4> Intrinsics;
  SmallVector<DbgVariableRecord *, 4> Records;
  findDbgUsers(Intrinsics, const_cast<Value *>(V), &Records);
  std::optional<Named> Best;
  unsigned Depth = 0;
  auto *Given = dyn_cast<Argument>(V);
  const DILocalVariable *Parameter = Given ? parameterOf(*Given) : nullptr;
  for (DbgVariableRecord *Record : Records) {
    // A number may be known better as a member of a variable that it is put into.
    bool Reassigned = Parameter && Record->getVariable() != Parameter &&
                      (V->getType()->isPointerTy() || Record->getVariable()->isParameter());
    if (Reassigned)
      continue;
    bool IsMemory =
        Record->isDbgDeclare() || (isa<AllocaInst>(V) && Record->getExpression()->startsWithDeref());
    if (IsMemory == isa<AllocaInst>(V) &&
        (IsMemory || !Record->getExpression()->isComplex() || Record->getExpression()->getFragmentInfo()))
      consider(Best, Depth, *Record);
  }
  return Best || !Given ? Best : slotOf(*Given);
}

std::vector<Field> fieldsOf(const Named &Object, bool Indirect) {
  std::vector<Field> Fields;
  struct Open {
    Named Part;
    bool Indirect;
    std::int64_t Begin;
    unsigned Depth;
  };
  std::vector<Open> Work{{{Object.Path, strip(Object.Type)}, Indirect, 0, 0}};
  while (!Work.empty() && Fields.size() < 256) {
    Open At = Work.back();
    Work.pop_back();
    auto *Composite = dyn_cast_or_null<DICompositeType>(At.Part.Type);
    if (!Composite || At.Depth > 4)
      continue;
    if (Composite->getTag() == dwarf::DW_TAG_array_type) {
      std::int64_t Bytes = sizeOf(Composite->getBaseType()).value_or(0);
      std::int64_t Count = Bytes ? sizeOf(Composite).value_or(0) / Bytes : 0;
      for (std::int64_t I = 0; I < Count && Count <= 64; ++I) {
        Named Element{At.Part.Path + "[" + std::to_string(I) + "]", strip(Composite->getBaseType())};
        Fields.push_back({At.Begin + I * Bytes, At.Begin + (I + 1) * Bytes, Element.Path});
        Work.push_back({Element, false, At.Begin + I * Bytes, At.Depth + 1});
      }
      continue;
    }
    for (const DIDerivedType *Member : membersOf(*Composite)) {
      Open Next{At.Part, At.Indirect, At.Begin + static_cast<std::int64_t>(Member->getOffsetInBits() / 8),
                At.Depth + 1};
      if (!isHidden(Member->getName()) && Member->getTag() == dwarf::DW_TAG_member)
        append(Next.Part.Path, Next.Indirect, Member->getName().str());
      Next.Part.Type = strip(Member->getBaseType());
      std::int64_t Bytes = sizeOf(Next.Part.Type).value_or(0);
      if (Bytes && Next.Part.Path != At.Part.Path)
        Fields.push_back({Next.Begin, Next.Begin + Bytes, Next.Part.Path});
      Work.push_back(Next);
    }
  }
  std::sort(Fields.begin(), Fields.end(), [](const Field &A, const Field &B) {
    return std::tie(A.Begin, B.End, A.Name) < std::tie(B.Begin, A.End, B.Name);
  });
  return Fields;
}

namespace {

std::string functionOf(const DILocation *At) {
  const DISubprogram *Function = At->getScope()->getSubprogram();
  return Function ? Function->getName().str() : "";
}

} // namespace

/// Extract.cpp spells the files as the user did.
Site siteOf(const DebugLoc &Where) {
  Site S;
  for (const DILocation *At = Where.get(); At; At = At->getInlinedAt())
    if (!isLibraryHeader(At->getFilename()) || (S.Chain.empty() && !At->getInlinedAt()))
      S.Chain.push_back({absoluteName(At->getFile()), At->getLine(), At->getColumn(), functionOf(At)});
  return S;
}

Site siteOf(const Function &F) {
  const DISubprogram *Program = F.getSubprogram();
  return Program ? Site{{{absoluteName(Program->getFile()), Program->getLine(), 1, Program->getName().str()}}}
                 : Site{};
}

} // namespace rdma::clang_ir
