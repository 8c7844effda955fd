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

/// Does a constant of the program's, such as a table of virtual functions, name what is the library's?
bool mentionsStream(const Constant &Table) {
  SmallVector<const Constant *, 16> Work{&Table};
  SmallPtrSet<const Constant *, 16> Seen;
  while (!Work.empty()) {
    const Constant *C = Work.pop_back_val();
    if (!Seen.insert(C).second)
      continue;
    if (auto *Named = dyn_cast<GlobalValue>(C)) {
      if (isOfStreamClass(Named->getName()))
        return true;
      continue;
    }
    for (const Use &Part : C->operands())
      Work.push_back(cast<Constant>(Part));
  }
  return false;
}

bool derivesFromStream(const GlobalVariable &Global) {
  StringRef Name = Global.getName();
  return (Name.starts_with("_ZTV") || Name.starts_with("_ZTI")) && Global.hasInitializer() &&
         !isOfLibrary(Name) && mentionsStream(*Global.getInitializer());
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
