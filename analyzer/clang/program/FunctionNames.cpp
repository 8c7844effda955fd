#include "analyzer/clang/program/FunctionNames.h"

#include "analyzer/clang/frontend/Programs.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

#include <algorithm>
#include <vector>

namespace rdma::clang_ir {
namespace {

std::string withoutSpaces(std::string Text) {
  Text.erase(std::remove(Text.begin(), Text.end(), ' '), Text.end());
  return Text;
}

/// "run(conn*, int)": overloads are told apart so.
std::string signature(const llvm::Function &F) { return llvm::demangle(symbolOf(F)); }

std::string fileOf(const llvm::Function &F) {
  const llvm::DISubprogram *Program = F.getSubprogram();
  return Program ? Program->getFilename().str() : "";
}

/// Its names, the shortest first.
std::vector<std::string> namesOf(const llvm::Function &F) {
  std::vector<std::string> All{sourceName(F), qualifiedName(F)};
  // Linking tells functions of two files apart by a number, which is no name of the sources.
  if (const std::string Symbol = symbolOf(F);
      Symbol.starts_with("_Z") && Symbol.find('.') == std::string::npos)
    All.push_back(signature(F));
  const std::string File = fileOf(F);
  for (std::size_t Slash = File.rfind('/');; Slash = File.rfind('/', Slash - 1)) {
    All.push_back(File.substr(Slash == std::string::npos ? 0 : Slash + 1) + ":" + sourceName(F));
    if (Slash == std::string::npos || Slash == 0)
      break;
  }
  All.push_back(symbolOf(F));
  return All;
}

} // namespace

std::string sourceName(const llvm::Function &F) {
  const llvm::DISubprogram *Program = F.getSubprogram();
  return Program && !Program->getName().empty() ? Program->getName().str() : F.getName().str();
}

std::string qualifiedName(const llvm::Function &F) {
  std::string Name = sourceName(F);
  const llvm::DISubprogram *Program = F.getSubprogram();
  for (const llvm::DIScope *Scope = Program ? Program->getScope() : nullptr;
       Scope && !llvm::isa<llvm::DIFile>(Scope); Scope = Scope->getScope())
    if (!Scope->getName().empty() && !llvm::isa<llvm::DICompileUnit>(Scope))
      Name = Scope->getName().str() + "::" + Name;
  return Name;
}

bool goesBy(const llvm::Function &F, const std::string &Name) {
  if (symbolOf(F) == Name || sourceName(F) == Name || qualifiedName(F) == Name ||
      withoutSpaces(signature(F)) == withoutSpaces(Name))
    return true;
  const std::size_t Colon = Name.rfind(':');
  if (Colon == std::string::npos || Name.substr(Colon + 1) != sourceName(F))
    return false;
  const std::string End = Name.substr(0, Colon), File = fileOf(F);
  return File == End || (!End.empty() && llvm::StringRef(File).ends_with("/" + End));
}

std::string definiteName(const llvm::Function &F) {
  auto others = [&](const std::string &Name) {
    return llvm::any_of(*F.getParent(), [&](const llvm::Function &Other) {
      return &Other != &F && !Other.isDeclaration() && programOf(Other) == programOf(F) &&
             goesBy(Other, Name);
    });
  };
  const std::vector<std::string> Names = namesOf(F);
  auto Found = std::find_if_not(Names.begin(), Names.end(), others);
  return Found == Names.end() ? Names.back() : *Found;
}

std::string placeOf(const llvm::Function &F) {
  const llvm::DISubprogram *Program = F.getSubprogram();
  return Program ? Program->getFilename().str() + ":" + std::to_string(Program->getLine()) : "";
}

} // namespace rdma::clang_ir
