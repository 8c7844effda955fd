#include "analyzer/clang/frontend/Link.h"
#include "analyzer/clang/api/CxxStreams.h"
#include "analyzer/clang/frontend/CompleteTypes.h"
#include "analyzer/clang/frontend/Prototypes.h"
#include "analyzer/clang/frontend/Spelling.h"
#include "ir/Litmus.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Linker/Linker.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <map>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Where it is defined; the line is 0 when that is not known.
Place placeOf(const GlobalValue &Value, const std::string &File) {
  Place At{File, 0, 0, ""};
  if (auto *F = dyn_cast<Function>(&Value))
    if (const DISubprogram *Program = F->getSubprogram())
      At = {spellFile(absoluteName(Program->getFile())), Program->getLine(), 1, ""};
  if (auto *Global = dyn_cast<GlobalVariable>(&Value)) {
    SmallVector<DIGlobalVariableExpression *, 1> Expressions;
    Global->getDebugInfo(Expressions);
    if (!Expressions.empty()) {
      const DIGlobalVariable *Variable = Expressions.front()->getVariable();
      At = {spellFile(absoluteName(Variable->getFile())), Variable->getLine(), 1, ""};
    }
  }
  return At;
}

/// A definition that no other may stand beside.
bool isStrong(const GlobalValue &Value) {
  return !Value.isDeclaration() && Value.hasExternalLinkage() && !Value.hasComdat();
}

void requireOneDefinition(const std::vector<std::unique_ptr<Module>> &Units,
                          const std::vector<std::string> &Files) {
  std::map<StringRef, std::pair<const GlobalValue *, std::size_t>> Defined;
  for (std::size_t I = 0; I < Units.size(); ++I)
    for (const GlobalValue &Value : Units[I]->global_values()) {
      if (!isStrong(Value))
        continue;
      auto [Found, New] = Defined.try_emplace(Value.getName(), &Value, I);
      if (New)
        continue;
      Place First = placeOf(*Found->second.first, Files[Found->second.second]);
      std::string Text = "'" + demangle(Value.getName().str()) + "' is also defined in " + First.File;
      if (First.Line)
        Text += ":" + std::to_string(First.Line);
      if (Value.getName() == "main")
        Text += "; of two programs, a topology says the \"sources\" of each";
      throw InputError(placeOf(Value, Files[I]), Text);
    }
}

void keepFileInNames(Module &Unit, const std::string &File) {
  for (GlobalVariable &Global : Unit.globals())
    if (Global.hasLocalLinkage() && Global.hasName())
      Global.setName(Global.getName() + "@" + File);
}

} // namespace

std::unique_ptr<Module> link(std::vector<std::unique_ptr<Module>> Units,
                             const std::vector<std::string> &Files) {
  if (Units.empty())
    throw InputError({"", 0, 0, ""}, "no source files");
  requireOneDefinition(Units, Files);
  if (Units.size() > 1)
    for (std::size_t I = 0; I < Units.size(); ++I)
      keepFileInNames(*Units[I], Files[I]);
  // In an order of their own, so that nothing depends on how the files were listed.
  std::vector<std::size_t> Order(Units.size());
  for (std::size_t I = 0; I < Order.size(); ++I)
    Order[I] = I;
  std::sort(Order.begin(), Order.end(), [&](std::size_t A, std::size_t B) { return Files[A] < Files[B]; });
  std::string Said;
  Units.front()->getContext().setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *Info, void *Text) {
        if (Info->getSeverity() != DS_Error)
          return;
        raw_string_ostream Out(*static_cast<std::string *>(Text));
        DiagnosticPrinterRawOStream Printer(Out);
        Info->print(Printer);
      },
      &Said);
  std::unique_ptr<Module> All = std::move(Units[Order.front()]);
  for (std::size_t I = 1; I < Order.size(); ++I)
    if (Linker::linkModules(*All, std::move(Units[Order[I]])))
      throw InputError({Files[Order[I]], 0, 0, ""}, "cannot be linked with the other files: " + Said);
  All->getContext().setDiagnosticHandlerCallBack(nullptr, nullptr);
  if (Order.size() > 1)
    completeTypes(*All);
  callByPrototype(*All);
  noteLedStreams(*All);
  return All;
}

} // namespace rdma::clang_ir
