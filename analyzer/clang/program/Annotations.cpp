#include "analyzer/clang/program/Annotations.h"
#include "analyzer/clang/frontend/AnnotationPlaces.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/frontend/Spelling.h"
#include "ir/Litmus.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <nlohmann/json.hpp>

namespace rdma::clang_ir {
namespace {

using namespace llvm;
using Json = nlohmann::ordered_json;

constexpr StringRef Ours = "rdma-tidy";

std::string textOf(const Value *V) {
  auto *Global = dyn_cast<GlobalVariable>(V->stripPointerCasts());
  auto *Bytes = Global && Global->hasInitializer()
                    ? dyn_cast<ConstantDataSequential>(Global->getInitializer())
                    : nullptr;
  return Bytes && Bytes->isCString() ? Bytes->getAsCString().str() : "";
}

std::vector<std::string> wordsOf(const Value *Arguments) {
  std::vector<std::string> Words;
  auto *Global = dyn_cast<GlobalVariable>(Arguments->stripPointerCasts());
  if (Global && Global->hasInitializer())
    for (const Use &Word : Global->getInitializer()->operands())
      Words.push_back(textOf(Word));
  return Words;
}

/// "run" in C, "ns::run(int)" in C++, where it may not be the only one.
std::string nameOf(const Function &F) {
  std::string Symbol = symbolOf(F);
  if (Symbol.starts_with("_Z"))
    return demangle(Symbol);
  const DISubprogram *Program = F.getSubprogram();
  return Program ? Program->getName().str() : Symbol;
}

class Collector {
public:
  explicit Collector(const std::vector<std::vector<std::string>> &Sources) : Sources(Sources) {}

  void node(const Annotation &A) {
    const std::string &Name = A.Words[1];
    if (A.Words[0] == "entry") {
      Json &Node = declared(Name);
      Node["entries"].push_back(nameOf(*A.On));
      EntryOf[A.On] = Name + ":" + nameOf(*A.On);
      if (!Sources.empty())
        Node["sources"] = Sources[programOf(*A.On).value_or(0)];
    } else if (A.Words[0] == "node") {
      const std::string &Count = A.Words[2];
      bool Digits = !Count.empty() && Count.size() < 7 && Count.find_first_not_of("0123456789") == Count.npos;
      if (Count != "*" && !Digits)
        throw InputError(A.At, "RDMA_NODE(\"" + Name + "\", …) wants a number as text or \"*\", not \"" +
                                   Count + "\"");
      Json Value = Digits ? Json(std::stoul(Count)) : Json("*");
      if (declared(Name).contains("count") && Root["nodes"][Name]["count"] != Value)
        throw InputError(A.At, "how many '" + Name + "' there are is said twice");
      Root["nodes"][Name]["count"] = Value;
    } else if (A.Words[0] == "setup") {
      Root["setup"].push_back(nameOf(*A.On));
    }
  }

  void path(const Annotation &A) {
    auto Entry = EntryOf.find(A.On);
    if (Entry == EntryOf.end())
      throw InputError(A.At, "this speaks of '" + nameOf(*A.On) +
                                 "', which is no entry: RDMA_ENTRY(\"NODE\") is missing");
    const std::string &Path = A.Words[1];
    if (A.Words[0] == "region") {
      say(A, {"regions", Entry->second, Path}, A.Words[2]);
      return;
    }
    const TopologyPlaces::Trail Pair{"queue_pairs", Entry->second, Path};
    auto of = [&](const std::string &Key) {
      TopologyPlaces::Trail At = Pair;
      At.push_back(Key);
      return At;
    };
    if (A.Words[0] == "peer") {
      say(A, of("node"), A.Words[2]);
    } else if (A.Words[0] == "receives") {
      say(A, of("recv_cq"), A.Words[2]);
    } else {
      say(A, of("send_cq"), A.Words[2]);
      say(A, of("sq_sig_all"), A.Words[3] == "all");
    }
  }

  Json Root;
  TopologyPlaces Places;

private:
  /// Once, or again the same, as a declaration and the definition may.
  void say(const Annotation &A, const TopologyPlaces::Trail &At, const Json &What) {
    Json *Into = &Root;
    TopologyPlaces::Trail Leading;
    for (const std::string &Key : At) {
      Into = &(*Into)[Key];
      Leading.push_back(Key);
      Places.Keys.try_emplace(Leading, A.At);
    }
    if (!Into->is_null() && *Into != What)
      throw InputError(A.At, "this says of '" + A.Words[1] + "' something else than what is said before");
    *Into = What;
    Places.Values.try_emplace(At, A.At);
  }

  Json &declared(const std::string &Name) {
    Json &Node = Root["nodes"][Name];
    if (Node.is_null())
      Node = Json::object();
    return Node;
  }

  const std::vector<std::vector<std::string>> &Sources;
  std::map<const Function *, std::string> EntryOf;
};

bool saysNode(const Annotation &A) {
  return A.Words[0] == "entry" || A.Words[0] == "node" || A.Words[0] == "setup";
}

} // namespace

std::vector<Annotation> takeAnnotations(Module &M, const std::vector<std::string> &Files) {
  std::vector<Annotation> All;
  GlobalVariable *Table = M.getNamedGlobal("llvm.global.annotations");
  if (!Table)
    return All;
  if (Table->hasInitializer())
    for (const Use &Row : Table->getInitializer()->operands()) {
      auto *Parts = dyn_cast<ConstantStruct>(Row);
      auto *On = Parts ? dyn_cast<Function>(Parts->getOperand(0)->stripPointerCasts()) : nullptr;
      if (!On || Parts->getNumOperands() < 5 || textOf(Parts->getOperand(1)) != Ours)
        continue;
      auto *Line = dyn_cast<ConstantInt>(Parts->getOperand(3));
      std::vector<std::string> Words = wordsOf(Parts->getOperand(4));
      if (Words.empty())
        continue;
      Place At = placeOfAnnotation(M, textOf(Parts->getOperand(2)), Line ? Line->getZExtValue() : 0, Words);
      for (const std::string &File : Files)
        if (realFile(File) == realFile(At.File))
          At.File = File;
      All.push_back({On, std::move(Words), At});
    }
  Table->eraseFromParent();
  return All;
}

std::optional<Topology> topologyOf(const std::vector<Annotation> &All,
                                   const std::vector<std::vector<std::string>> &Sources) {
  if (All.empty())
    return std::nullopt;
  Collector Facts(Sources);
  for (const Annotation &A : All)
    if (saysNode(A))
      Facts.node(A);
  if (!Facts.Root.contains("nodes"))
    throw InputError(All.front().At, "annotations without an RDMA_ENTRY");
  for (const Annotation &A : All)
    if (!saysNode(A))
      Facts.path(A);
  for (const Annotation &A : All)
    for (std::size_t I = 1; I < A.Words.size(); ++I)
      Facts.Places.Words.try_emplace(A.Words[I], A.At);
  return readTopology(All.front().At.File, Facts.Root.dump(), Facts.Places);
}

} // namespace rdma::clang_ir
