#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/CxxStreams.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/api/ParameterTypes.h"
#include "analyzer/clang/memory/AccessPaths.h"
#include "analyzer/clang/memory/PointsTo.h"

#include <llvm/ADT/StringSet.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include <sys/ioctl.h>
#include <sys/mman.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

bool takesFormat(StringRef Name) {
  for (StringRef Known :
       {"printf", "fprintf", "dprintf", "sprintf", "snprintf", "syslog", "err", "errx", "warn", "warnx"})
    if (Name == Known)
      return true;
  return false;
}

/// Does it take a va_list, as the last argument?
bool takesList(StringRef Name) { return Name.consume_front("v") && takesFormat(Name); }

/// Does a constant format among the arguments show that nothing is written through the others? Only %n does.
bool formatReads(const CallBase &Call, const ApiRow &Row) {
  const Function *Callee = calledFunction(Call);
  bool List = takesList(Row.Name);
  if (!Callee || (!List && (!Callee->isVarArg() || !takesFormat(Row.Name))))
    return false;
  StringRef Format;
  unsigned Behind = Callee->getFunctionType()->getNumParams() - List;
  if (!Behind || !getConstantStringInfo(Call.getArgOperand(Behind - 1), Format))
    return false;
  for (std::size_t At = Format.find('%'); At != StringRef::npos; At = Format.find('%', At)) {
    At = Format.find_first_not_of("0123456789-+ #'.*$hlLqjzt", At + 1);
    if (At == StringRef::npos || Format[At] == 'n')
      return false;
    ++At;
  }
  return true;
}

/// The call does something with an address that it is given, if anything, but not with what is there.
bool keepsAddress(const ApiRow &Row) {
  switch (Row.What) {
  case Api::Nothing:
  case Api::RegMr:
  case Api::CmReg:
  case Api::Allocate:
  case Api::Map:
  case Api::Same:
  case Api::SpawnPthread:
  case Api::SpawnStd:
  case Api::EndThread:
  case Api::Frees: // a write to the whole block, which is no matter of this argument only
    return true;
  default:
    return false;
  }
}

/// What these do with lists and completions is found where they are translated; ibv_start_poll has
/// attributes.
bool isTranslated(const ApiRow &Row) {
  return posts(Row.What) || Row.What == Api::WrCall || (polls(Row.What) && Row.What != Api::StartPoll);
}

/// A `void *` that comes back with an event or a completion.
bool isContext(const ApiRow &Row, const Qualified &Target) {
  bool Verbs = Row.Name.starts_with("ibv_") || Row.Name.starts_with("rdma_");
  return Verbs && !Target.Type && !Target.Const;
}

ArgumentUse byType(const CallBase &Call, unsigned Argument, const ApiRow &Row) {
  if (isTranslated(Row) || (isOfStream(Row) && Argument > 0)) // numbers, and addresses that are printed
    return {};
  const DIType *Type = parameterType(Call, Argument);
  const Function *Callee = calledFunction(Call);
  bool Variadic = Callee && Argument >= Callee->getFunctionType()->getNumParams();
  if (!Type) {
    // Members of streams that the headers only declare are not described.
    if (std::optional<std::int64_t> Stream = isOfStream(Row) ? sizeOfStreamIn(Row.Name) : std::nullopt)
      return {true, true, *Stream};
    // What the compiler calls itself, by no declaration, concerns objects of the C++ runtime.
    bool Runtime = Row.Name.starts_with("__cxa_") || (Row.What == Api::Ends && !Variadic);
    return Runtime || keepsAddress(Row) ? ArgumentUse{} : ArgumentUse{true, true};
  }
  // An address in a union, as sockets take it.
  if (auto *Union = dyn_cast_or_null<DICompositeType>(Qualified(Type).Type);
      Union && Union->getTag() == dwarf::DW_TAG_union_type)
    return {true, true};
  std::optional<Qualified> Target = targetOf(Type);
  bool Handle = Target && Target->Type && isHandle(Target->Type->getName());
  if (!Target || isa_and_nonnull<DISubroutineType>(Target->Type) || Handle || keepsAddress(Row) ||
      isContext(Row, *Target))
    return {};
  // Arrays of numbers that are filled have rows that say so.
  bool Number = isa_and_nonnull<DIBasicType>(Target->Type) && sizeOf(Target->Type).value_or(1) > 1;
  return {true, !Target->Const && Row.What != Api::Ends,
          Number ? *sizeOf(Target->Type) : sizeOfSingle(*Target)};
}

} // namespace

bool mayMapOver(const CallBase &Mmap) {
  constexpr unsigned Flags = 3;
  auto *Given = dyn_cast<ConstantInt>(Mmap.getArgOperand(Flags));
  return !Given || (Given->getZExtValue() & MAP_FIXED);
}

bool readsOptions(const ApiRow &Row) { return Row.Name.starts_with("getopt"); }

/// What a driver is given may lead to buffers, unless the request is one for a number.
static bool mayLeadFurther(const CallBase &Ioctl, unsigned Argument) {
  constexpr unsigned Given = 2;
  auto *Request = dyn_cast<ConstantInt>(Ioctl.getArgOperand(1));
  const std::uint64_t Asked = Request ? Request->getZExtValue() : 0;
  return Argument == Given && Asked != FIONREAD && Asked != FIONBIO && Asked != FIOASYNC && Asked != TIOCOUTQ;
}

/// A structure of verbs whose pointers lead to what is sent with the call: private data, addresses, a key.
static bool leadsFurther(const ApiRow &Row, unsigned Argument) {
  return StringSwitch<bool>(Row.Name)
      .Cases("rdma_connect", "rdma_accept", "rdma_create_ep", "ibv_create_qp_ex", Argument == 1)
      .Case("rdma_getaddrinfo", Argument == 2)
      .Default(false);
}

FurtherUse furtherUse(const CallBase &Call, unsigned Argument, const ApiRow &Row) {
  if (!Call.getArgOperand(Argument)->getType()->isPointerTy())
    return {};
  if (takesList(Row.Name) && Argument + 1 == Call.arg_size())
    return {2, !formatReads(Call, Row)};
  // What a string says is where its object leads to.
  constexpr std::string_view String = "RKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE";
  if (Row.Name.ends_with(String) && Row.Reads == static_cast<int>(Argument))
    return {1, false, true};
  if (fillsString(Row) && Row.Writes == static_cast<int>(Argument))
    return {1, true, true};
  constexpr unsigned Options = 3;
  if (readsOptions(Row) && Argument == Options)
    return {1, true};
  if (Row.Name == "ioctl" && mayLeadFurther(Call, Argument))
    return {1, true};
  if (leadsFurther(Row, Argument))
    return {1, false};
  bool Reads = useOf(Call, Argument, Row).Reads && isList(parameterType(Call, Argument));
  return {Reads ? 1u : 0u, false};
}

bool fillsString(const ApiRow &Row) {
  return (isOfStream(Row) && (Row.Name.starts_with("_ZSt7getline") || Row.Name.starts_with("_ZStrs"))) ||
         Row.Name == "_ZNKSt10error_code7messageB5cxx11Ev";
}

bool fillsFurther(const CallBase &Call, unsigned Argument, const ApiRow &Row) {
  return Row.What == Api::Scattered || furtherUse(Call, Argument, Row).Writes;
}

namespace {

/// The bytes that a constant text has with its end; none: it is not known.
std::optional<std::int64_t> sizeOfText(const Value *Text) {
  StringRef Known;
  if (!getConstantStringInfo(Text, Known))
    return std::nullopt;
  return Known.size() + 1;
}

/// The most bytes that one conversion writes. Text: what it is given.
std::optional<std::int64_t> mostOfConversion(StringRef Flags, char Conversion, const Value *Given) {
  // Digits in base 8 of an int and of 64 bits, with sign and prefix; of the largest double, with its point.
  constexpr std::int64_t Int = 13, Long = 26, Double = 320, Exponent = 40;
  if (Flags.find_first_not_of("0123456789-+ #.hljzt") != StringRef::npos)
    return std::nullopt;
  const bool IsInt = Flags.find_first_of("ljzt") == StringRef::npos && Conversion != 'p';
  Flags = Flags.rtrim("hljzt");
  auto [Before, Behind] = Flags.ltrim("-+ #0").split('.');
  unsigned Width = 0, Precision = 0;
  if ((!Before.empty() && Before.getAsInteger(10, Width)) ||
      (!Behind.empty() && Behind.getAsInteger(10, Precision)))
    return std::nullopt;
  std::int64_t Most = 0;
  switch (Conversion) {
  case 'd':
  case 'i':
  case 'u':
  case 'x':
  case 'X':
  case 'o':
  case 'p':
    Most = (IsInt ? Int : Long) + Precision;
    break;
  case 'f':
  case 'F':
    Most = Double + std::max(Precision, 6u);
    break;
  case 'e':
  case 'E':
  case 'g':
  case 'G':
    Most = Exponent + Precision;
    break;
  case 'c':
    Most = 1;
    break;
  case 's':
    if (std::optional<std::int64_t> Known = sizeOfText(Given))
      Most = *Known;
    else if (Flags.contains('.'))
      Most = Precision;
    else
      return std::nullopt;
    break;
  default:
    return std::nullopt;
  }
  return std::max<std::int64_t>(Most, Width);
}

/// The most bytes that sprintf writes, its format being constant, with the end of the text.
std::optional<std::int64_t> mostPrinted(const CallBase &Call) {
  StringRef Format;
  unsigned Argument = 1;
  if (Call.arg_size() < 2 || !getConstantStringInfo(Call.getArgOperand(Argument), Format))
    return std::nullopt;
  std::int64_t Sum = 1;
  while (!Format.empty()) {
    const std::size_t Percent = std::min(Format.find('%'), Format.size());
    Sum += Percent;
    Format = Format.drop_front(Percent);
    if (Format.consume_front("%%")) {
      ++Sum;
      continue;
    }
    if (Format.empty())
      break;
    const std::size_t End = Format.find_first_not_of("0123456789-+ #'.*$hlLqjzt", 1);
    if (End == StringRef::npos || ++Argument >= Call.arg_size())
      return std::nullopt;
    // Wide characters are as long as the locale makes them.
    StringRef Flags = Format.slice(1, End);
    const bool Wide = Flags.contains('l') && (Format[End] == 'c' || Format[End] == 's');
    std::optional<std::int64_t> Most =
        Wide ? std::nullopt : mostOfConversion(Flags, Format[End], Call.getArgOperand(Argument));
    if (!Most)
      return std::nullopt;
    Sum += *Most;
    Format = Format.drop_front(End + 1);
  }
  return Sum;
}

/// Which argument says how much is printed to the first one.
std::optional<unsigned> lengthOfPrint(const ApiRow &Row) {
  return Row.Name == "snprintf" || Row.Name == "vsnprintf" ? std::optional(1u) : std::nullopt;
}

} // namespace

/// fread and fwrite touch so many elements of so many bytes. Length: of which one is constant.
static std::optional<ByteLimit> elementsOf(const CallBase &Call, const ApiRow &Row) {
  if ((Row.Name != "fread" && Row.Name != "fwrite") || Call.arg_size() < 3)
    return std::nullopt;
  for (unsigned Constant : {1u, 2u})
    if (auto *Each = dyn_cast<ConstantInt>(Call.getArgOperand(Constant));
        Each && Each->getValue().ult(1u << 30)) {
      const Value *Length = Call.getArgOperand(3 - Constant);
      auto *Number = dyn_cast<ConstantInt>(Length);
      const std::int64_t Bytes = Each->getSExtValue();
      if (!Number)
        return ByteLimit{Length, Unbounded, Bytes};
      if (Number->getValue().ult(1u << 30))
        return ByteLimit{nullptr, Bytes * Number->getSExtValue()};
    }
  return ByteLimit{};
}

std::optional<ResultLimit> resultLimit(const CallBase &Call) {
  const ApiRow *Row = isa<IntrinsicInst>(Call) ? nullptr : rowOf(Call);
  if (!Row || !Call.getType()->isIntegerTy(64))
    return std::nullopt;
  if (elementsOf(Call, *Row))
    return ResultLimit{0, Call.getArgOperand(2)};
  if ((Row->What != Api::Sends && Row->What != Api::Receives) || Row->Size < 0)
    return std::nullopt;
  constexpr unsigned Flags = 3, Truncates = 0x20; // MSG_TRUNC: the length of what came
  if (StringRef(Row->Name).contains("recv")) {
    auto *Given = Call.arg_size() > Flags ? dyn_cast<ConstantInt>(Call.getArgOperand(Flags)) : nullptr;
    if (!Given || (Given->getZExtValue() & Truncates) || Row->Name == "__recv_chk")
      return std::nullopt;
  }
  return ResultLimit{-1, Call.getArgOperand(Row->Size)};
}

ByteLimit limitOf(const CallBase &Call, unsigned Argument, const ApiRow &Row) {
  const bool Named =
      Row.Reads == static_cast<int>(Argument) || Row.Writes == static_cast<int>(Argument) || Row.Reads == -2;
  if (std::optional<unsigned> Length = lengthOfPrint(Row); Length && Argument == 0)
    return {Call.getArgOperand(*Length)};
  if (std::optional<ByteLimit> Elements = elementsOf(Call, Row); Elements && Argument == 0)
    return *Elements;
  if (Named && !Row.Bytes && Row.Size >= 0)
    return {Call.getArgOperand(Row.Size)};
  return {nullptr, useOf(Call, Argument, Row).Size};
}

namespace {

/// Which conversion of a constant format prints the argument; 0: that is not known.
char conversionOf(const CallBase &Call, unsigned Argument) {
  const unsigned First = calledFunction(Call)->getFunctionType()->getNumParams();
  StringRef Format;
  if (!First || !getConstantStringInfo(Call.getArgOperand(First - 1), Format))
    return 0;
  unsigned Next = First;
  for (std::size_t At = Format.find('%'); At != StringRef::npos; At = Format.find('%', At + 1)) {
    At = Format.find_first_not_of("0123456789-+ #'.hlLqjzt", At + 1);
    if (At == StringRef::npos || Format[At] == '*' || Format[At] == '$')
      return 0;
    if (Format[At] != '%' && Next++ == Argument)
      return Format[At];
  }
  return 0;
}

/// Texts end where they end: a limit is no measure of what is touched.
bool endsItself(const ApiRow &Row) {
  return Row.Name.starts_with("str") || Row.Name == "fgets" || takesFormat(Row.Name) || takesList(Row.Name);
}

} // namespace

std::optional<ByteLimit> leastOf(const CallBase &Call, unsigned Argument, const ApiRow &Row) {
  const Function *Callee = calledFunction(Call);
  if (!Callee || !Call.getArgOperand(Argument)->getType()->isPointerTy())
    return std::nullopt;
  const bool Printed = Argument >= Callee->getFunctionType()->getNumParams();
  const ArgumentUse Use = useOf(Call, Argument, Row);
  const bool Reads = Row.Reads == static_cast<int>(Argument) || (Row.Reads == -2 && Use.Reads && !Use.Writes);
  if (Printed ? !takesFormat(Row.Name) || conversionOf(Call, Argument) != 's'
              : !Reads && Row.Writes != static_cast<int>(Argument))
    return std::nullopt;
  ByteLimit Most = limitOf(Call, Argument, Row);
  if (Printed || endsItself(Row) || (!Most.Length && Most.Size == Unbounded))
    return Most.Length ? ByteLimit{Most.Length, Unbounded, 0} : ByteLimit{nullptr, 1};
  return Most;
}

ArgumentUse useOf(const CallBase &Call, unsigned Argument, const ApiRow &Row) {
  const Value *Given = Call.getArgOperand(Argument);
  int Number = Argument;
  if (!Given->getType()->isPointerTy() || isa<Function>(Given->stripPointerCasts()) ||
      Call.doesNotAccessMemory(Argument))
    return {};
  bool Variadic = calledFunction(Call) && Argument >= calledFunction(Call)->getFunctionType()->getNumParams();
  if (Row.What == Api::Map && Argument == 0)
    return {false, mayMapOver(Call)};
  ArgumentUse Use{Row.Reads == Number || Row.Reads == -2, Row.Writes == Number};
  // Of those that a format names, it says which are written.
  if (Row.Reads == -2 && Variadic && Row.What != Api::Ends)
    Use.Writes |= !formatReads(Call, Row);
  if (!Use.Reads && !Use.Writes)
    Use = byType(Call, Argument, Row);
  else if (Row.Bytes)
    Use.Size = Row.Bytes;
  else if (auto *Length = Row.Size >= 0 ? dyn_cast<ConstantInt>(Call.getArgOperand(Row.Size)) : nullptr)
    Use.Size = Length->getZExtValue();
  else if (std::optional<Qualified> Target = targetOf(parameterType(Call, Argument)); Target && Row.Size < 0)
    Use.Size = sizeOfSingle(*Target);
  if (std::optional<ByteLimit> Elements = elementsOf(Call, Row); Elements && Argument == 0)
    Use.Size = Elements->Size;
  if (Argument == 0 && Use.Writes) {
    std::optional<unsigned> At = lengthOfPrint(Row);
    auto *Length = At ? dyn_cast<ConstantInt>(Call.getArgOperand(*At)) : nullptr;
    std::optional<std::int64_t> Most = Length                  ? Length->getSExtValue()
                                       : Row.Name == "sprintf" ? mostPrinted(Call)
                                       : Row.Name == "strcpy"  ? sizeOfText(Call.getArgOperand(1))
                                                               : std::nullopt;
    if (Most && *Most >= 0)
      Use.Size = std::min(Use.Size, *Most);
  }
  Use.Writes &= !Call.onlyReadsMemory(Argument);
  return Use;
}

WrittenPart writtenPart(const CallBase &Call, unsigned Argument, const ApiRow &Row) {
  const ArgumentUse Use = useOf(Call, Argument, Row);
  if (!Use.Writes)
    return {0, 0};
  if (Row.What == Api::CreateQp && Argument == 1)
    return {layout::Capacities, layout::QpType - layout::Capacities};
  if (Row.What == Api::CmCreateQp && Argument == 2)
    return {layout::SendCq, layout::QpType - layout::SendCq};
  return {0, Use.Size};
}

} // namespace rdma::clang_ir
