#include "analyzer/clang/translate/Coverage.h"
#include "analyzer/clang/api/Declared.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// The same for a function, its clones, and what was inlined of it.
std::string keyOf(const DISubprogram &Program) {
  return (Program.getFilename() + ":" + std::to_string(Program.getLine()) + ":" + Program.getName()).str();
}

} // namespace

PostsInSources::PostsInSources(const Module &M) {
  for (const Function &F : M) {
    const DISubprogram *Program = F.getSubprogram();
    // What the headers of verbs and of the runtime define is no code of the program.
    if (F.isDeclaration() || !Program || declarerOf(F) == Declarer::Verbs)
      continue;
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee)
        continue;
      if (const ApiRow *Row = rowOf(*Callee); Row && posts(Row->What))
        Posting.try_emplace(keyOf(*Program), Unreached{I.getDebugLoc(), Program->getName().str()});
      else if (const DISubprogram *Called = Callee->getSubprogram(); Called && !Callee->isDeclaration())
        Calls[keyOf(*Program)].insert(keyOf(*Called));
    }
  }
}

void PostsInSources::see(const Function &Thread) {
  if (const DISubprogram *Program = Thread.getSubprogram())
    Seen.insert(keyOf(*Program));
  for (const Instruction &I : instructions(Thread))
    for (const DILocation *At = I.getDebugLoc(); At; At = At->getInlinedAt())
      if (const DISubprogram *Program = At->getScope()->getSubprogram())
        Seen.insert(keyOf(*Program));
}

std::vector<PostsInSources::Unreached> PostsInSources::unreached() const {
  std::set<std::string> Reached = Seen;
  std::vector<std::string> Work(Seen.begin(), Seen.end());
  while (!Work.empty()) {
    auto Found = Calls.find(Work.back());
    Work.pop_back();
    if (Found == Calls.end())
      continue;
    for (const std::string &Callee : Found->second)
      if (Reached.insert(Callee).second)
        Work.push_back(Callee);
  }
  std::vector<Unreached> All;
  for (const auto &[Key, Place] : Posting)
    if (!Reached.count(Key))
      All.push_back(Place);
  return All;
}

} // namespace rdma::clang_ir
