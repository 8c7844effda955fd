#include "analyzer/clang/api/CxxStreams.h"
#include "analyzer/clang/api/ApiRows.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/memory/AccessPaths.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>

#include <fstream>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr const char *Kind = "rdma.led.streams";

/// Functions that lead a stream elsewhere.
constexpr StringRef Leading[] = {
    "_ZNSt15basic_streambufIcSt11char_traitsIcEE9pubsetbufEPcl",
    "_ZNSt9basic_iosIcSt11char_traitsIcEE5rdbufEPSt15basic_streambufIcS1_E",
    "_ZNSt9basic_iosIcSt11char_traitsIcEE3tieEPSo",
    "_ZNSt9basic_iosIcSt11char_traitsIcEE7copyfmtERKS2_",
    "_ZNSt8ios_base17register_callbackEPFvNS_5eventERS_iEi",
};

/// A class of the library's that streams call virtual functions of.
bool isOfStreamClass(StringRef Symbol) {
  for (StringRef Prefix : {"_ZTISo", "_ZTISi", "_ZTISd", "_ZNSo", "_ZNSi", "_ZNSd"})
    if (Symbol.starts_with(Prefix))
      return true;
  for (StringRef Class :
       {"streambuf", "filebuf", "stringbuf", "basic_ios", "ios_base", "stream", "locale5facet", "numpunct",
        "num_put", "num_get", "ctype", "codecvt", "time_get", "time_put", "money", "collate", "messages"})
    if (Symbol.contains(Class))
      return true;
  return false;
}

bool isOfLibrary(StringRef Table) {
  Table = Table.drop_front(StringRef("_ZTV").size());
  Table.consume_front("N");
  return Table.starts_with("S");
}

/// Does a constant, such as a table of virtual functions, name what is the library's?
bool mentions(const Constant &Table, bool (*IsOfStream)(StringRef)) {
  SmallVector<const Constant *, 16> Work{&Table};
  SmallPtrSet<const Constant *, 16> Seen;
  while (!Work.empty()) {
    const Constant *C = Work.pop_back_val();
    if (!Seen.insert(C).second)
      continue;
    if (auto *Named = dyn_cast<GlobalValue>(C)) {
      if (IsOfStream(Named->getName()))
        return true;
      continue;
    }
    for (const Use &Part : C->operands())
      Work.push_back(cast<Constant>(Part));
  }
  return false;
}

/// Such a name without what says what it names: a type, a table, or a member.
StringRef scopeOf(StringRef Symbol) {
  if (!Symbol.consume_front("_ZTI") && !Symbol.consume_front("_ZTV"))
    Symbol.consume_front("_Z");
  Symbol.consume_front("N");
  Symbol.consume_front("K");
  return Symbol;
}

/// Does the name of the library's begin with a class that streams are made of? What comes behind, such as
/// a type of the program's that a template is given, says nothing of that.
bool isPartOfStream(StringRef Symbol) {
  StringRef Class = scopeOf(Symbol);
  if (any_of(ArrayRef<StringRef>{"So", "Si", "Sd"},
             [&](StringRef Short) { return Class.starts_with(Short); }))
    return true;
  if (!Class.consume_front("St"))
    return false;
  Class.consume_front("7__cxx11");
  Class = Class.ltrim("0123456789");
  return any_of(ArrayRef<StringRef>{"basic_streambuf", "basic_filebuf", "basic_stringbuf", "basic_ios",
                                    "basic_istream", "basic_ostream", "basic_iostream", "ios_base"},
                [&](StringRef Part) { return Class.starts_with(Part); });
}

/// A class of the program's; or one of the library's that is made of a template here, since the library
/// has none such: it may lead to an array of the program's, or have its allocator.
bool derivesFromStream(const GlobalVariable &Global) {
  StringRef Name = Global.getName();
  return (Name.starts_with("_ZTV") || Name.starts_with("_ZTI")) && !Global.isDeclarationForLinker() &&
         mentions(*Global.getInitializer(), isOfLibrary(Name) ? isPartOfStream : isOfStreamClass);
}

} // namespace

void noteLedStreams(Module &Whole) {
  const bool Leads = any_of(Leading, [&](StringRef Name) {
    const Function *F = Whole.getFunction(Name);
    return F && !F->use_empty();
  });
  if (Leads || any_of(Whole.globals(), derivesFromStream))
    Whole.getOrInsertNamedMetadata(Kind);
}

bool ledElsewhere(const Module &Whole) { return Whole.getNamedMetadata(Kind); }

bool isOfStream(const ApiRow &Row) {
  auto All = rowsOfStreams();
  return &Row >= All.data() && &Row < All.data() + All.size();
}

std::optional<std::int64_t> sizeOfStream(StringRef Class) {
  Class = Class.split('<').first;
  return StringSwitch<std::optional<std::int64_t>>(Class)
      .Case("basic_ostream", sizeof(std::ofstream))
      .Case("basic_istream", sizeof(std::fstream))
      .Cases("basic_filebuf", "basic_streambuf", sizeof(std::filebuf))
      .Default(std::nullopt);
}

std::optional<std::int64_t> sizeOfStreamIn(StringRef Member) {
  if (!Member.consume_front("_ZNK") && !Member.consume_front("_ZN"))
    return std::nullopt;
  return sizeOfStream(Member.starts_with("So")   ? "basic_ostream"
                      : Member.starts_with("Si") ? "basic_istream"
                                                 : "");
}

bool isTextStream(const DIType *Type) {
  Type = strip(Type);
  return Type && Type->getName().contains("stringstream<char") && declarerOf(*Type) == Declarer::Standard;
}

bool isStandardStream(const Value *Stream) {
  while (auto *Call = dyn_cast<CallBase>(Stream)) {
    const ApiRow *Row = rowOf(*Call);
    if (!Row || !isOfStream(*Row) || Row->Into != 0)
      return false;
    Stream = Call->getArgOperand(0);
  }
  auto *Global = dyn_cast<GlobalVariable>(Stream);
  return Global && Global->isDeclaration() &&
         is_contained({"_ZSt3cin", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog"}, Global->getName());
}

} // namespace rdma::clang_ir
