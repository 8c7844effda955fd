#include "analyzer/clang/translate/Coverage.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/frontend/LibraryHeaders.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/translate/OpenOrders.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// The same for a function, its clones, and what was inlined of it into a function of the same program.
std::string keyOf(const DISubprogram &Program, const Function &In) {
  return std::to_string(programOf(In).value_or(0)) + ":" +
         (Program.getFilename() + ":" + std::to_string(Program.getLine()) + ":" + Program.getName()).str();
}

/// What the mentions in a constant lead to.
void addMentioned(const Value &V, std::set<const Value *> &Seen, std::vector<const Function *> &Work) {
  if (!isa<Constant>(V) || !Seen.insert(&V).second)
    return;
  if (auto *F = dyn_cast<Function>(&V))
    return Work.push_back(F);
  for (const Use &Part : cast<User>(V).operands())
    addMentioned(*Part, Seen, Work);
}

/// Functions of a shared source that its other programs need: neither `main` nor a table nor a constructor of
/// this program leads to them. Empty where there is one program, which may be part of more.
std::set<const Function *> unusedHere(const Module &M) {
  std::set<unsigned> WithMain;
  std::set<const Value *> Seen;
  std::vector<const Function *> Work;
  for (const Function &F : M)
    if (programOf(F) && isMain(F)) {
      WithMain.insert(*programOf(F));
      addMentioned(F, Seen, Work);
    }
  for (const GlobalVariable &Table : M.globals())
    addMentioned(Table, Seen, Work);
  while (!Work.empty()) {
    const Function *F = Work.back();
    Work.pop_back();
    for (const Instruction &I : instructions(*F))
      for (const Use &U : I.operands())
        addMentioned(*U, Seen, Work);
  }
  std::set<const Function *> Unused;
  for (const Function &F : M)
    if (programOf(F) && WithMain.count(*programOf(F)) && !Seen.count(&F))
      Unused.insert(&F);
  return Unused;
}

} // namespace

PostsInSources::PostsInSources(const Module &M) {
  std::set<const Function *> Unused = unusedHere(M);
  for (const Function &F : M) {
    const DISubprogram *Program = F.getSubprogram();
    // What the headers of verbs and of the runtime define is no code of the program.
    if (F.isDeclaration() || !Program || Unused.count(&F) || declarerOf(F) == Declarer::Verbs)
      continue;
    const std::string Key = keyOf(*Program, F);
    if (F.hasAddressTaken())
      ByPointer[F.getFunctionType()].insert(Key);
    for (const Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || Call->isInlineAsm())
        continue;
      const Unreached Here{I.getDebugLoc(), Program->getName().str()};
      const Function *Callee = Call->getCalledFunction();
      if (!Callee) {
        Indirect[Key].try_emplace(Call->getFunctionType(), Here);
        continue;
      }
      const ApiRow *Row = rowOf(*Callee);
      if (Row && posts(Row->What))
        Posting.try_emplace(Key, Here);
      else if (Row && (startsThread(*Row) || Row->What == Api::StartsCode))
        Starting.try_emplace(Key, Here);
      else if (const DISubprogram *Called = Callee->getSubprogram(); Called && !Callee->isDeclaration())
        Calls[Key].try_emplace(keyOf(*Called, F), Here);
    }
  }
  addCalls();
  for (const auto &[F, At] : clang_ir::openOrders(M))
    if (const DISubprogram *Program = F->getSubprogram())
      OpenOrders[keyOf(*Program, *F)].push_back(At);
}

/// A call by a pointer may be one of every function of its type whose address is known somewhere.
void PostsInSources::addCalls() {
  for (const auto &[Caller, Types] : Indirect)
    for (const auto &[Type, Here] : Types)
      for (const std::string &Callee : ByPointer[Type])
        MayCall[Caller].try_emplace(Callee, Here);
  for (const auto &[Caller, Callees] : Calls)
    for (const auto &[Callee, Here] : Callees)
      MayCall[Caller].try_emplace(Callee, Here);
}

/// What posts itself or calls what does.
std::set<std::string> PostsInSources::posting() const {
  std::map<std::string, std::vector<std::string>> Callers;
  for (const auto &[Caller, Callees] : MayCall)
    for (const auto &[Callee, Here] : Callees)
      Callers[Callee].push_back(Caller);
  std::set<std::string> All;
  std::vector<std::string> Work;
  for (const auto &[Key, Place] : Posting)
    Work.push_back(Key);
  while (!Work.empty()) {
    std::string Key = Work.back();
    Work.pop_back();
    if (All.insert(Key).second)
      Work.insert(Work.end(), Callers[Key].begin(), Callers[Key].end());
  }
  return All;
}

void PostsInSources::addInlined(const Function &F, std::set<std::string> &Keys) {
  if (const DISubprogram *Program = F.getSubprogram())
    Keys.insert(keyOf(*Program, F));
  for (const Instruction &I : instructions(F))
    for (const DILocation *At = I.getDebugLoc(); At; At = At->getInlinedAt())
      if (const DISubprogram *Program = At->getScope()->getSubprogram())
        Keys.insert(keyOf(*Program, F));
}

void PostsInSources::see(const Function &Thread) {
  if (const DISubprogram *Program = Thread.getSubprogram())
    Threads.insert(keyOf(*Program, Thread));
  addInlined(Thread, Seen);
}

/// These functions, and those that calls lead to from them.
std::set<std::string> PostsInSources::calledFrom(std::set<std::string> Some,
                                                 const std::map<std::string, Places> &By) {
  std::vector<std::string> Work(Some.begin(), Some.end());
  while (!Work.empty()) {
    auto Found = By.find(Work.back());
    Work.pop_back();
    if (Found == By.end())
      continue;
    for (const auto &[Callee, Here] : Found->second)
      if (Some.insert(Callee).second)
        Work.push_back(Callee);
  }
  return Some;
}

std::set<std::string> PostsInSources::lookedAt() const {
  std::set<std::string> Looked = Seen;
  Looked.insert(SeenInSetup.begin(), SeenInSetup.end());
  return calledFrom(std::move(Looked), Calls);
}

std::vector<Function *> PostsInSources::notLookedAt(const std::vector<Function *> &Some) const {
  const std::set<std::string> Looked = lookedAt();
  std::vector<Function *> Left;
  for (Function *F : Some)
    if (const DISubprogram *Program = F->getSubprogram(); Program && !Looked.count(keyOf(*Program, *F)))
      Left.push_back(F);
  return Left;
}

std::vector<PostsInSources::Unreached> PostsInSources::unreachedStarts() const {
  const std::set<std::string> Reached = lookedAt();
  std::vector<Unreached> All;
  for (const auto &[Key, Place] : Starting)
    if (!Reached.count(Key))
      All.push_back(Place);
  return All;
}

std::vector<PostsInSources::Unreached> PostsInSources::unreached() const {
  const std::set<std::string> Reached = calledFrom(Seen, Calls);
  std::vector<Unreached> All;
  for (const auto &[Key, Place] : Posting)
    if (!Reached.count(Key))
      All.push_back(Place);
  // A helper that threads run posts for others, too. What the analysis says itself in the place of a
  // library's header is no code of anybody's: where it is called and not followed, that call is told of.
  const std::set<std::string> Posts = posting();
  for (const auto &[Caller, Callees] : MayCall)
    if (!Reached.count(Caller) && !Posting.count(Caller))
      for (const auto &[Callee, Here] : Callees)
        if (Reached.count(Callee) && Posts.count(Callee) && !Threads.count(Callee) &&
            !(Here.Where && isLibraryHeader(Here.Where->getFilename()))) {
          All.push_back(Here);
          break;
        }
  return All;
}

std::vector<Place> PostsInSources::openOrders() const {
  const std::set<std::string> Reached = calledFrom(Seen, MayCall);
  std::vector<Place> All;
  for (const auto &[Key, Places] : OpenOrders)
    if (Reached.count(Key))
      All.insert(All.end(), Places.begin(), Places.end());
  return All;
}

} // namespace rdma::clang_ir
