#include "analyzer/clang/translate/TopologyUse.h"
#include "analyzer/clang/memory/AccessPaths.h"

#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

void addPeers(const Inventory &Stock, const std::string &Node, PointsTo &Memory) {
  for (const auto &[Entry, Paths] : Stock.T.Regions)
    for (const auto &[Path, Remote] : Paths) {
      if (Remote.Node != Node)
        continue;
      StringRef Name = Remote.Object, Part;
      const GlobalVariable *Global = Stock.global(Node, Name.str());
      if (!Global) {
        Part = Name.drop_front(Name.take_until([](char C) { return C == '.' || C == '['; }).size());
        Global = Stock.global(Node, Name.drop_back(Part.size()).str());
      }
      std::optional<Named> Variable = Global ? variableOf(Global) : std::nullopt;
      if (auto Bytes = Variable ? stretchOf(Variable->Type, Part) : std::nullopt)
        Memory.addPeersOf(*Global, Bytes->Begin, Bytes->Size);
    }
}

void seeVariables(const Function &F, const std::string &Entry, PathsInUse &Seen) {
  std::set<std::string> &Names = Seen.Variables[Entry];
  for (const GlobalVariable &Global : F.getParent()->globals())
    if (auto Variable = variableOf(&Global))
      Names.insert(Variable->Path);
  for (const Instruction &I : instructions(F))
    for (DbgVariableRecord &Record : filterDbgVars(I.getDbgRecordRange()))
      if (!Record.getDebugLoc().getInlinedAt())
        Names.insert(Record.getVariable()->getName().str());
}

} // namespace rdma::clang_ir
