#include "rewriter/source/GoAhead.h"

#include "analyzer/clang/api/ApiTable.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Analysis/CFG.h>

#include <optional>
#include <set>

namespace rdma::source {
namespace {

using namespace clang;
using Functions = std::map<std::string, std::pair<const EditedFile *, const FunctionDecl *>>;

/// What a call does to a message that is under way.
enum class Does { Nothing, Polls, Tells };

bool isPoll(const clang_ir::ApiRow &Row) {
  return clang_ir::polls(Row.What) || Row.What == clang_ir::Api::WaitQp || Row.What == clang_ir::Api::FlushQp;
}

/// Standard input, output or errors, which no other node reads or writes.
bool isOwnDescriptor(const CallExpr &Call, ASTContext &Context) {
  Expr::EvalResult Number;
  const Expr *First = Call.getNumArgs() ? Call.getArg(0) : nullptr;
  return First && !First->isValueDependent() && First->getType()->isIntegerType() &&
         First->EvaluateAsInt(Number, Context) && Number.Val.getInt().isRepresentableByInt64() &&
         Number.Val.getInt().getExtValue() <= 2;
}

/// Follows the calls behind a part of a function until each way has polled.
class Ways {
public:
  Ways(const Functions &Bodies, const EditedFile &In, const FunctionDecl &F,
       std::set<const FunctionDecl *> &Open)
      : Bodies(Bodies), In(In), Context(In.Tree->Context), Open(Open) {
    CFG::BuildOptions Options;
    Options.setAllAlwaysAdd();
    Options.AddImplicitDtors = true;
    if (!F.isDependentContext())
      Graph = CFG::buildCFG(&F, F.getBody(), &Context, Options);
  }

  /// Where the first call is that tells, on some way from the part that is asked for, or from behind it.
  template <typename Predicate> std::string from(Predicate Within, bool Behind) {
    return walk(Ahead, [&](const Stmt *S, unsigned Now) {
      bool Inside = S && Within(S);
      if (Now & Here && !Inside)
        Now |= Sent;
      Now &= ~Here;
      return !Inside ? Now : Behind ? Now | Here : Now | Sent;
    });
  }
  /// The same from the function's first statement.
  std::string whole() {
    return walk(Sent, [](const Stmt *, unsigned Now) { return Now; });
  }

  /// May the end be reached without a poll?
  bool EndsWithout = true;

private:
  /// Where a way may be: before the part, in it when what counts is behind it, or on with the message out.
  enum : unsigned { Ahead = 1, Here = 2, Sent = 4 };

  std::string placeOf(const Stmt &S) const {
    const SourceManager &M = Context.getSourceManager();
    return In.Name + ":" + std::to_string(M.getExpansionLineNumber(S.getBeginLoc()));
  }

  template <typename Visitor> std::string walk(unsigned Begin, Visitor Moves) {
    if (!Graph)
      return {};
    std::vector<unsigned> Before(Graph->getNumBlockIDs());
    Before[Graph->getEntry().getBlockID()] = Begin;
    std::vector<const CFGBlock *> Work{&Graph->getEntry()};
    while (!Work.empty()) {
      const CFGBlock *Block = Work.back();
      Work.pop_back();
      unsigned Now = Before[Block->getBlockID()];
      for (const CFGElement &Element : *Block) {
        auto Statement = Element.getAs<CFGStmt>();
        Now = Moves(Statement ? Statement->getStmt() : nullptr, Now);
        if (!(Now & Sent))
          continue;
        auto [Effect, At] = doneBy(Element);
        if (Effect == Does::Tells)
          return At;
        Now &= Effect == Does::Polls ? ~Sent : ~0u;
      }
      for (const CFGBlock *Next : Block->succs())
        if (Next && (Before[Next->getBlockID()] | Now) != Before[Next->getBlockID()]) {
          Before[Next->getBlockID()] |= Now;
          Work.push_back(Next);
        }
    }
    EndsWithout = Before[Graph->getExit().getBlockID()] & (Here | Sent);
    return {};
  }

  std::pair<Does, std::string> doneBy(const CFGElement &Element) {
    auto Statement = Element.getAs<CFGStmt>();
    const Stmt *S = Statement ? Statement->getStmt() : nullptr;
    const FunctionDecl *Callee = nullptr;
    auto *Call = dyn_cast_or_null<CallExpr>(S);
    if (auto Dies = Element.getAs<CFGImplicitDtor>())
      Callee = Dies->getDestructorDecl(Context);
    else if (auto *Made = dyn_cast_or_null<CXXConstructExpr>(S))
      Callee = Made->getConstructor();
    else if (Call)
      Callee = Call->getDirectCallee();
    if (!Callee)
      return {Call && !isa<CXXPseudoDestructorExpr>(Call->getCallee()->IgnoreParens()) ? Does::Tells
                                                                                       : Does::Nothing,
              Call ? placeOf(*Call) : ""};
    return byName(*Callee, Call);
  }

  std::pair<Does, std::string> byName(const FunctionDecl &Callee, const CallExpr *Call) {
    StringRef Name = Callee.getIdentifier() ? Callee.getName() : "";
    std::string Where = Call ? placeOf(*Call) : "";
    const clang_ir::ApiRow *Row = clang_ir::apiOf(Name);
    if (Row && isPoll(*Row))
      return {Does::Polls, ""};
    if ((Row && Row->What == clang_ir::Api::Sends) || Name.starts_with("MPI_"))
      return {Call && isOwnDescriptor(*Call, Context) ? Does::Nothing : Does::Tells, Where};
    if (Row || Context.getSourceManager().isInSystemHeader(Callee.getLocation()))
      return {Does::Nothing, ""};
    return inside(Callee, Where);
  }

  /// A function of the program; of code that is not given nothing is known.
  std::pair<Does, std::string> inside(const FunctionDecl &Callee, const std::string &Where) {
    auto Body = Bodies.find(Callee.getQualifiedNameAsString());
    auto *Method = dyn_cast<CXXMethodDecl>(&Callee);
    if (Callee.isImplicit() || Callee.isDefaulted())
      return {Does::Nothing, ""};
    if (Body == Bodies.end() || (Method && Method->isVirtual()))
      return {Does::Tells, Where};
    const FunctionDecl *F = Body->second.second;
    if (!Open.insert(F).second)
      return {Does::Nothing, ""}; // what calls itself is being looked at
    Ways Inner(Bodies, *Body->second.first, *F, Open);
    std::string Tells = Inner.whole();
    Open.erase(F);
    if (!Tells.empty())
      return {Does::Tells, Tells};
    return {Inner.EndsWithout ? Does::Nothing : Does::Polls, ""};
  }

  const Functions &Bodies;
  const EditedFile &In;
  ASTContext &Context;
  std::set<const FunctionDecl *> &Open;
  std::unique_ptr<CFG> Graph;
};

/// Every function that the sources define, outside the system's headers.
void findBodies(const EditedFile &F, Functions &Found) {
  struct Definitions : RecursiveASTVisitor<Definitions> {
    Definitions(const EditedFile &F, Functions &Found) : F(F), Found(Found) {}
    bool VisitFunctionDecl(FunctionDecl *D) {
      if (D->isThisDeclarationADefinition() &&
          !F.Tree->Context.getSourceManager().isInSystemHeader(D->getLocation()))
        Found.try_emplace(D->getQualifiedNameAsString(), &F, D);
      return true;
    }
    bool shouldVisitTemplateInstantiations() const { return true; }
    const EditedFile &F;
    Functions &Found;
  } D(F, Found);
  D.TraverseAST(F.Tree->Context);
}

} // namespace

std::string GoAheads::behind(const EditedFile &In, const Slot &At, bool Behind,
                             const std::vector<Place> &Chain) {
  if (Bodies.empty())
    for (const std::string &Name : Files.sources())
      findBodies(*Files.find(Name), Bodies);
  for (Standing Now = standingAt(Files, In, At, Chain); Now.Function;
       Now = callerOf(Files, Now, Chain), Behind = true) {
    const Syntax &S = *Now.In->Tree;
    auto [Begin, End] = S.extent(Now.Part);
    std::set<const FunctionDecl *> Open;
    Ways All(Bodies, *Now.In, *Now.Function, Open);
    std::string Tells = All.from(
        [&, Begin = Begin, End = End](const Stmt *Step) {
          unsigned Where = S.offset(Step->getBeginLoc());
          return S.holds(Step->getBeginLoc()) && Begin <= Where && Where < End;
        },
        Behind);
    if (!Tells.empty() || !All.EndsWithout)
      return Tells;
  }
  return {};
}

} // namespace rdma::source
