#include "analyzer/clang/program/RegionNames.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/config/Nearest.h"
#include "ir/Litmus.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DebugInfoMetadata.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// Does a function of the program have a parameter or local variable of this name?
bool isLocal(StringRef Name, const Module &M, unsigned Program) {
  for (const Function &F : M)
    if (const DISubprogram *About = F.getSubprogram(); About && isOf(F, Program))
      for (const DINode *Kept : About->getRetainedNodes())
        if (auto *Variable = dyn_cast<DILocalVariable>(Kept); Variable && Variable->getName() == Name)
          return true;
  return false;
}

bool isPlain(StringRef Name) {
  return all_of(Name, [](char C) { return isAlnum(C) || C == '_' || C == ':'; });
}

std::string withoutDigits(StringRef Name) {
  std::string Letters;
  copy_if(Name, std::back_inserter(Letters), [](char C) { return !isDigit(C); });
  return Letters;
}

} // namespace

void requireRegions(const Inventory &Stock, const Module &M, RemarkLog &Log) {
  for (const RemoteName &Region : Stock.unseen()) {
    const std::vector<std::string> Known = Stock.namesOn(Region.Node);
    const std::string Near = nearest(Region.Object, Known), Whole = Region.Node + ":" + Region.Object;
    const std::string Hint = Near.empty() ? "" : "; did you mean '" + Region.Node + ":" + Near + "'?";
    const Place At = Stock.T.placeOf(Region);
    // A path may lead to a member that only the NIC uses, and a number tells labels apart.
    if (isPlain(Region.Object) && isPlain(Near) && isSlip(Region.Object, Near) &&
        withoutDigits(Region.Object) != withoutDigits(Near) &&
        !isLocal(Region.Object, M, Stock.T.programOf(Region.Node)))
      throw InputError(At,
                       "no variable of node '" + Region.Node + "' is called '" + Region.Object + "'" + Hint);
    Log.add({{At}}, {words::NameUnused, Whole, Hint}, false);
  }
}

} // namespace rdma::clang_ir
