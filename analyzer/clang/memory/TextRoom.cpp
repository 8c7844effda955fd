#include "analyzer/clang/memory/TextRoom.h"
#include "analyzer/clang/api/Declared.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Instructions.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Members of std::basic_string and std::char_traits, wherever they are inlined.
bool isOfStrings(const Instruction &I) {
  const DILocation *At = I.getDebugLoc();
  const DISubprogram *By = At ? At->getScope()->getSubprogram() : I.getFunction()->getSubprogram();
  const StringRef Name = By ? By->getLinkageName() : StringRef();
  return Name.starts_with("_ZNSt11char_traitsI") || Name.starts_with("_ZNSt7__cxx1112basic_string") ||
         Name.starts_with("_ZNKSt7__cxx1112basic_string");
}

bool isString(const DICompositeType &Type) {
  return Type.getName().starts_with("basic_string<") &&
         declarerOf(static_cast<const DIType &>(Type)) == Declarer::Standard;
}

/// The array that this byte of an object of the type is in, if that is in a string.
std::optional<TextRoom> roomIn(const DIType *Type, std::int64_t Offset) {
  const std::int64_t At = Offset;
  bool InString = false;
  while (auto *Composite = dyn_cast_or_null<DICompositeType>(strip(Type))) {
    if (Composite->getTag() == dwarf::DW_TAG_array_type) {
      const std::int64_t Whole = sizeOf(Composite).value_or(0),
                         Each = sizeOf(Composite->getBaseType()).value_or(0);
      if (Offset < 0 || Offset >= Whole || Each <= 0)
        return std::nullopt;
      if (InString)
        return TextRoom{At - Offset, At - Offset + Whole};
      Offset %= Each;
      Type = Composite->getBaseType();
      continue;
    }
    InString |= isString(*Composite);
    // Of a union the largest: the buffer, beside how much memory of its own the string has.
    const DIDerivedType *Inner = nullptr;
    for (const DIDerivedType *Member : membersOf(*Composite)) {
      const std::int64_t Begin = Member->getOffsetInBits() / 8,
                         Size = sizeOf(Member->getBaseType()).value_or(0);
      if (Begin <= Offset && Offset < Begin + Size &&
          (!Inner || sizeOf(Inner->getBaseType()).value_or(0) < Size))
        Inner = Member;
    }
    if (!Inner)
      return std::nullopt;
    Offset -= Inner->getOffsetInBits() / 8;
    Type = Inner->getBaseType();
  }
  return std::nullopt;
}

/// As roomIn, of an object that no variable of the program is, by the type that the compiler gave it.
std::optional<TextRoom> roomIn(Type *Whole, std::int64_t Offset, const DataLayout &Layout) {
  const std::int64_t At = Offset;
  bool InString = false;
  for (;;) {
    if (auto *Array = dyn_cast<ArrayType>(Whole)) {
      Whole = Array->getElementType();
      Offset %= std::max<std::int64_t>(Layout.getTypeAllocSize(Whole), 1);
      continue;
    }
    auto *Struct = dyn_cast<StructType>(Whole);
    if (!Struct || Struct->isOpaque() ||
        Offset >= static_cast<std::int64_t>(Layout.getStructLayout(Struct)->getSizeInBytes()))
      return std::nullopt;
    const StructLayout &Members = *Layout.getStructLayout(Struct);
    const unsigned Member = Members.getElementContainingOffset(Offset);
    Offset -= Members.getElementOffset(Member);
    Whole = Struct->getElementType(Member);
    InString |= Struct->hasName() && Struct->getName().starts_with("class.std::__cxx11::basic_string");
    auto *Union = dyn_cast<StructType>(Whole);
    const std::int64_t Size = Layout.getTypeAllocSize(Whole);
    if (InString && Union && Union->hasName() && Union->getName().starts_with("union.") && Offset < Size)
      return TextRoom{At - Offset, At - Offset + Size};
  }
}

std::optional<TextRoom> roomAt(const Origin &Block, std::int64_t Offset) {
  if (!Block.named() || Offset < 0)
    return std::nullopt;
  if (Block.Name.Type)
    return roomIn(Block.Name.Type, Offset);
  auto *Variable = dyn_cast_or_null<AllocaInst>(Block.Root); // one that the compiler made
  return Variable ? roomIn(Variable->getAllocatedType(), Offset,
                           Variable->getFunction()->getParent()->getDataLayout())
                  : std::nullopt;
}

} // namespace

std::optional<TextRoom> textRoom(const User &Step, const Pointer &At) {
  auto *Code = dyn_cast<Instruction>(&Step);
  if (!Code || At.High == Unbounded || !isOfStrings(*Code))
    return std::nullopt;
  const std::optional<TextRoom> Room = roomAt(*At.Base, At.Low);
  return Room && At.High < Room->End ? Room : std::nullopt;
}

std::int64_t mostWritten(const AnyMemIntrinsic &Move, const Pointer &To) {
  if (auto *Number = dyn_cast<ConstantInt>(Move.getLength()))
    return Number->getZExtValue();
  const std::optional<TextRoom> Room = textRoom(Move, To);
  return Room ? Room->End - To.High : Unbounded;
}

} // namespace rdma::clang_ir
