#include "analyzer/clang/program/Roles.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/program/ChosenByPointer.h"
#include "analyzer/clang/program/FunctionNames.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include <algorithm>
#include <map>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr std::uint64_t QpNumber = 52; // where qp_num is in struct ibv_qp

/// A function that another mentions: calls, hands on, or finds in a table.
struct Mention {
  Function *Callee;
  const Instruction *By;
  const GlobalVariable *Table = nullptr;
};

using FunctionsAndTables = std::map<Function *, const GlobalVariable *>;

void functionsIn(const Constant *C, const GlobalVariable *Table, std::set<const Constant *> &Seen,
                 FunctionsAndTables &All) {
  if (!Seen.insert(C).second)
    return;
  if (auto *F = dyn_cast<Function>(C))
    All.emplace(const_cast<Function *>(F), Table);
  else if (auto *Variable = dyn_cast<GlobalVariable>(C); Variable && Variable->hasInitializer())
    functionsIn(Variable->getInitializer(), Table ? Table : Variable, Seen, All);
  for (const Use &U : C->operands())
    if (auto *Part = dyn_cast<Constant>(U.get()))
      functionsIn(Part, Table, Seen, All);
}

std::vector<Mention> mentionsIn(Function &F) {
  std::vector<Mention> All;
  for (Instruction &I : instructions(F)) {
    if (isa<DbgInfoIntrinsic>(I))
      continue;
    std::set<const Constant *> Seen;
    FunctionsAndTables Found;
    for (const Use &U : I.operands())
      if (auto *C = dyn_cast<Constant>(U.get()))
        functionsIn(C, nullptr, Seen, Found);
    for (auto [Callee, Table] : Found)
      All.push_back({Callee, &I, Table});
  }
  std::stable_sort(All.begin(), All.end(), [](const Mention &A, const Mention &B) {
    return A.Callee->getName() < B.Callee->getName();
  });
  return All;
}

/// Verbs calls may still have their bodies here, and the compiler's names for functions of one file: in C++
/// _ZL13ibv_post_send….
const ApiRow *meaningOf(const Function &Callee) {
  return declarerOf(Callee) == Declarer::Verbs ? apiOf(sourceName(Callee)) : rowOf(Callee);
}

bool orders(const Function &Callee) {
  const ApiRow *Row = meaningOf(Callee);
  return Row && (posts(Row->What) || polls(Row->What));
}

bool takesPart(const Function &Callee) {
  const ApiRow *Row = meaningOf(Callee);
  return Callee.getName() == "rdma_accept" || Callee.getName() == "rdma_connect" ||
         (Row && (Row->What == Api::RegMr || Row->What == Api::CmReg));
}

class Follower {
public:
  explicit Follower(Module &M) {
    for (Function &F : M)
      if (!F.isDeclaration() && declarerOf(F) != Declarer::Verbs)
        Mentions[&F] = mentionsIn(F);
    close(Working, orders);
    close(Doing, orders, /*Virtually=*/false);
    close(Sharing, takesPart, /*Virtually=*/false);
  }

  bool works(const Function &F) const { return Working.count(const_cast<Function *>(&F)) > 0; }
  bool shares(const Function &F) const { return Sharing.count(const_cast<Function *>(&F)) > 0; }

  /// What main decides between.
  std::vector<Function *> partsOf(Function &Main) {
    std::vector<Function *> Parts = chosenByPointer(
        Main, [&](const Function &F) { return works(F) || shares(F); },
        [&](const CallBase &Call) {
          const Function *Callee = calledFunction(Call);
          return Callee && (orders(*Callee) || startsWork(Call));
        });
    // The side that only lends its memory is one of the ways, too; but not all are.
    return any_of(Parts, [&](Function *Part) { return works(*Part); }) ? Parts : split(Main);
  }

  /// Who makes an object with virtual functions has not chosen what is done with it.
  std::vector<Function *> split(Function &F, unsigned Depth = 0) {
    std::vector<Mention> Below;
    for (const Mention &X : Mentions[&F]) {
      if (orders(*X.Callee) || (Doing.count(X.Callee) && startsThread(*X.By)))
        return {&F};
      if (Doing.count(X.Callee) && X.Callee != &F)
        Below.push_back(X);
    }
    if (Below.empty() || Depth > 8 || !exclusive(Below))
      return {&F};
    // The side that only lends its memory is one of the ways, too.
    for (const Mention &X : Mentions[&F])
      if (Sharing.count(X.Callee) && !Doing.count(X.Callee)) {
        std::vector<Mention> Wider = Below;
        Wider.push_back(X);
        if (exclusive(Wider))
          Below = std::move(Wider);
      }
    std::set<Function *> Callees;
    for (const Mention &X : Below)
      Callees.insert(X.Callee);
    std::vector<Function *> All;
    for (const Mention &X : Below)
      if (Callees.erase(X.Callee)) {
        std::vector<Function *> Parts = split(*X.Callee, Depth + 1);
        if (Parts.size() == 1)
          Parts = {X.Callee}; // the function that was chosen, with all it does
        for (Function *Part : Parts)
          if (std::find(All.begin(), All.end(), Part) == All.end())
            All.push_back(Part);
      }
    return All.size() == 1 ? std::vector<Function *>{&F} : All;
  }

  Role describe(Function &F) {
    Role R{.F = &F, .Program = programOf(F).value_or(0)};
    std::vector<Function *> Work{&F};
    std::set<Function *> Seen{&F};
    while (!Work.empty()) {
      Function *At = Work.back();
      Work.pop_back();
      StringRef Name = At->getName();
      R.End.Connects |= Name == "rdma_connect";
      R.End.Accepts |= Name == "rdma_accept";
      R.End.Calls |= At->isDeclaration() && Name == "connect";
      R.End.Answers |= At->isDeclaration() && (Name == "accept" || Name == "accept4");
      if (At->isDeclaration())
        continue;
      seeNumbers(*At, R.End.Numbered);
      for (const Mention &X : Mentions[At])
        if (Seen.insert(X.Callee).second)
          Work.push_back(X.Callee);
    }
    return R;
  }

private:
  static bool startsThread(const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    const ApiRow *Row = Callee ? meaningOf(*Callee) : nullptr;
    return Row && clang_ir::startsThread(*Row);
  }

  /// A thread is started that does work, as far as the call shows.
  bool startsWork(const CallBase &Call) const {
    return startsThread(Call) && any_of(Call.args(), [&](const Use &U) {
             auto *F = dyn_cast<Function>(U.get()->stripPointerCasts());
             return F && works(*F);
           });
  }

  /// The functions that mention one of this kind, or mention one that does.
  void close(std::set<Function *> &Set, bool (*Kind)(const Function &), bool Virtually = true) {
    for (bool Grown = true; Grown;) {
      Grown = false;
      for (auto &[F, Named] : Mentions)
        if (!Set.count(F) && std::any_of(Named.begin(), Named.end(), [&](const Mention &X) {
              return (Virtually || !X.Table || !isVirtualTable(*X.Table)) &&
                     (Set.count(X.Callee) || Kind(*X.Callee));
            }))
          Grown = Set.insert(F).second;
    }
  }

  /// No way leads through two of them; what one table holds is chosen from.
  static bool exclusive(const std::vector<Mention> &All) {
    for (const Mention &A : All)
      for (const Mention &B : All) {
        if (A.Callee == B.Callee)
          continue;
        bool FromTable = A.Table && A.Table == B.Table;
        if (!FromTable && (A.By == B.By || isPotentiallyReachable(A.By, B.By)))
          return false;
      }
    return true;
  }

  /// "struct.info.3" is struct info.
  static StringRef sourceName(const StructType &Struct) {
    return Struct.getName().split('.').second.split('.').first;
  }

  /// A member of a struct, by what the compiler says of the access; linking may take the types their names.
  struct Member {
    std::string Struct;
    std::uint64_t Offset;
  };
  static std::optional<Member> memberOf(const Instruction &Access, const Value *Pointer) {
    if (const MDNode *Tag = Access.getMetadata(LLVMContext::MD_tbaa); Tag && Tag->getNumOperands() > 2)
      if (auto *Base = dyn_cast<MDNode>(Tag->getOperand(0)); Base && Base->getNumOperands() > 2)
        if (auto *Name = dyn_cast<MDString>(Base->getOperand(0))) {
          StringRef Symbol = Name->getString();
          std::string Struct =
              Symbol.starts_with("_ZTS") ? demangle("_Z" + Symbol.drop_front(4).str()) : Symbol.str();
          return Member{Struct, mdconst::extract<ConstantInt>(Tag->getOperand(2))->getZExtValue()};
        }
    auto *At = dyn_cast<GetElementPtrInst>(Pointer);
    auto *Struct = At ? dyn_cast<StructType>(At->getSourceElementType()) : nullptr;
    APInt Offset(64, 0);
    if (!Struct || !Struct->hasName() || !At->accumulateConstantOffset(At->getDataLayout(), Offset))
      return std::nullopt;
    return Member{sourceName(*Struct).str(), Offset.getZExtValue()};
  }

  /// The structs that `info.number = htonl(qp->qp_num)` writes to.
  static void seeNumbers(Function &F, std::set<std::string> &Structs) {
    for (Instruction &I : instructions(F)) {
      auto *Store = dyn_cast<StoreInst>(&I);
      if (!Store)
        continue;
      const Value *From = Store->getValueOperand();
      for (unsigned Steps = 0; Steps < 8; ++Steps)
        if (auto *Cast = dyn_cast<CastInst>(From))
          From = Cast->getOperand(0);
        else if (auto *Call = dyn_cast<CallBase>(From); Call && Call->arg_size() == 1)
          From = Call->getArgOperand(0);
        else
          break;
      auto *Load = dyn_cast<LoadInst>(From);
      auto Source = Load ? memberOf(*Load, Load->getPointerOperand()) : std::nullopt;
      auto Filled = memberOf(*Store, Store->getPointerOperand());
      if (Source && Filled && Source->Struct == "ibv_qp" && Source->Offset == QpNumber)
        Structs.insert(Filled->Struct);
    }
  }

  std::map<Function *, std::vector<Mention>> Mentions;
  std::set<Function *> Working; ///< posts or polls, or names a function that does
  std::set<Function *> Doing;   ///< of these, not only by making an object with virtual functions
  std::set<Function *> Sharing; ///< registers memory or connects, or names a function that does
};

} // namespace

std::string Role::name() const { return definiteName(*F); }

namespace {

/// Nothing in the program is of the verbs, or of the project and not among the sources: a tool that is built
/// beside the system and no side of it.
bool standsApart(const Module &M, std::optional<unsigned> Program) {
  auto within = [&](const User *U) {
    auto *I = dyn_cast<Instruction>(U);
    return !I || programOf(*I->getFunction()) == Program;
  };
  return none_of(M, [&](const Function &F) {
    if (F.isIntrinsic() || (F.isDeclaration() ? none_of(F.users(), within) : programOf(F) != Program))
      return false;
    Declarer By = declarerOf(F);
    return By == Declarer::Verbs || (By == Declarer::Program && F.isDeclaration());
  });
}

} // namespace

std::vector<Role> findRoles(Module &M, bool OneOfSeveral) {
  Follower All(M);
  std::vector<Function *> Chosen;
  for (Function &F : M)
    if (!F.isDeclaration() && isMain(F)) {
      const std::vector<Function *> Parts = All.partsOf(F);
      if (All.works(F) || Parts.size() > 1 ||
          ((OneOfSeveral || programOf(F)) && !standsApart(M, programOf(F))))
        Chosen.insert(Chosen.end(), Parts.begin(), Parts.end());
    }
  // In the order of the programs, whatever linking did to that of their functions.
  std::stable_sort(Chosen.begin(), Chosen.end(), [](const Function *A, const Function *B) {
    return programOf(*A).value_or(0) < programOf(*B).value_or(0);
  });
  if (Chosen.empty())
    for (Function &F : M)
      if (!F.isDeclaration() && F.hasExternalLinkage() && F.getSubprogram() && All.works(F) &&
          declarerOf(F) != Declarer::Verbs)
        Chosen.push_back(&F);
  std::vector<Role> Roles;
  for (Function *F : Chosen)
    Roles.push_back(All.describe(*F));
  return Roles;
}

} // namespace rdma::clang_ir
