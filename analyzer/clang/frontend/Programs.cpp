#include "analyzer/clang/frontend/Programs.h"
#include "ir/Litmus.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>
#include <llvm/Linker/Linker.h>

#include <map>
#include <set>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr const char *Mark = "rdma.program";

void mark(Module &Program, unsigned Number) {
  LLVMContext &Context = Program.getContext();
  auto *Value = ConstantInt::get(Type::getInt32Ty(Context), Number);
  MDNode *Node = MDNode::get(Context, ConstantAsMetadata::get(Value));
  for (GlobalObject &Part : Program.global_objects())
    if (!Part.isDeclaration())
      Part.setMetadata(Mark, Node);
}

/// Neither meets what another program has: a definition, or one that it lacks.
void separate(std::vector<std::unique_ptr<Module>> &Programs) {
  std::map<std::string, unsigned> Users;
  for (const auto &Program : Programs)
    for (const GlobalValue &Value : Program->global_values())
      if (!Value.hasLocalLinkage())
        ++Users[Value.getName().str()];
  for (std::size_t I = 0; I < Programs.size(); ++I)
    for (GlobalValue &Value : Programs[I]->global_values()) {
      if (auto *Part = dyn_cast<GlobalObject>(&Value))
        Part->setComdat(nullptr);
      if (!Value.isDeclaration() && !Value.hasLocalLinkage() && !Value.getName().starts_with("llvm.") &&
          Users.at(Value.getName().str()) > 1)
        Value.setName(Value.getName() + "." + Twine(I));
    }
}

} // namespace

std::unique_ptr<Module> beside(std::vector<std::unique_ptr<Module>> Programs) {
  if (Programs.size() == 1)
    return std::move(Programs.front());
  separate(Programs);
  for (std::size_t I = 0; I < Programs.size(); ++I)
    mark(*Programs[I], I);
  std::unique_ptr<Module> All = std::move(Programs.front());
  for (std::size_t I = 1; I < Programs.size(); ++I)
    if (Linker::linkModules(*All, std::move(Programs[I])))
      throw InputError({"", 0, 0, ""}, "the programs of this topology cannot be taken together");
  return All;
}

std::optional<unsigned> programOf(const GlobalObject &Part) {
  const MDNode *Node = Part.getMetadata(Mark);
  if (!Node)
    return std::nullopt;
  return mdconst::extract<ConstantInt>(Node->getOperand(0))->getZExtValue();
}

std::string symbolOf(const GlobalObject &Part) {
  StringRef Name = Part.getName();
  if (auto Program = programOf(Part))
    Name.consume_back("." + std::to_string(*Program));
  return Name.str();
}

bool isMain(const Function &F) { return symbolOf(F) == "main"; }

bool hasMain(const GlobalObject &Part) {
  const std::optional<unsigned> Program = programOf(Part);
  return any_of(*Part.getParent(), [&](const Function &F) {
    return !F.isDeclaration() && isMain(F) && programOf(F) == Program;
  });
}

std::vector<std::vector<std::size_t>> programsIn(const std::vector<std::unique_ptr<Module>> &Units) {
  std::map<StringRef, std::size_t> Defined;
  std::vector<std::vector<std::size_t>> Programs;
  for (std::size_t I = 0; I < Units.size(); ++I) {
    const Function *Main = Units[I]->getFunction("main");
    if (Main && !Main->isDeclaration()) {
      Programs.push_back({I});
      continue;
    }
    for (const GlobalValue &Value : Units[I]->global_values())
      if (!Value.isDeclaration() && !Value.hasLocalLinkage())
        Defined.try_emplace(Value.getName(), I);
  }
  if (Programs.size() < 2)
    return {};
  for (std::vector<std::size_t> &Program : Programs)
    for (std::size_t Next = 0; Next < Program.size(); ++Next) // which grows
      for (const GlobalValue &Value : Units[Program[Next]]->global_values())
        if (auto Found = Defined.find(Value.getName());
            Found != Defined.end() && Value.isDeclaration() &&
            std::find(Program.begin(), Program.end(), Found->second) == Program.end())
          Program.push_back(Found->second);
  // What nobody calls may be started by a constructor, or looked up: it is part of all.
  std::set<std::size_t> Taken;
  for (const auto &Program : Programs)
    Taken.insert(Program.begin(), Program.end());
  for (std::size_t I = 0; I < Units.size(); ++I)
    if (!Taken.count(I))
      for (auto &Program : Programs)
        Program.push_back(I);
  return Programs;
}

} // namespace rdma::clang_ir
