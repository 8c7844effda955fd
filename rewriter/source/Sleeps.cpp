#include "rewriter/source/Sleeps.h"

#include "rewriter/source/Carriers.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>
#include <clang/Analysis/CFG.h>

#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace rdma::source {
namespace {

using namespace clang;

StringRef calleeOf(const Stmt *S) {
  auto *Call = dyn_cast<CallExpr>(S);
  const FunctionDecl *Callee = Call ? Call->getDirectCallee() : nullptr;
  return Callee && Callee->getIdentifier() ? Callee->getName() : "";
}

/// What there is between two sleeps.
enum class Since { Awake, Asked, Polled };

/// The variables that are known to be 0.
using Zeros = std::set<const VarDecl *>;

const VarDecl *variable(const Expr *E) {
  auto *Ref = dyn_cast<DeclRefExpr>(E->IgnoreParenCasts());
  auto *V = Ref ? dyn_cast<VarDecl>(Ref->getDecl()) : nullptr;
  return V && V->hasLocalStorage() && !V->getType()->isReferenceType() ? V : nullptr;
}

/// What statements may have changed.
struct Changes {
  std::set<const ValueDecl *> Named;
  bool Called = false; ///< code that may change all that others see
};

void note(const Stmt &S, Changes &In) {
  if (auto *B = dyn_cast<BinaryOperator>(&S); B && B->isAssignmentOp())
    In.Named.insert(named(B->getLHS()));
  if (auto *U = dyn_cast<UnaryOperator>(&S);
      U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf))
    In.Named.insert(named(U->getSubExpr()));
  In.Called |= isa<CallExpr>(&S) && !calleeOf(&S).starts_with("ibv_");
}

/// May the value of the condition be another one behind the changes?
bool mayChange(const Stmt *Condition, const Changes &By) {
  if (auto *E = dyn_cast<Expr>(Condition)) {
    const ValueDecl *D = named(E);
    auto *V = dyn_cast_or_null<VarDecl>(D);
    bool Own = V && V->hasLocalStorage() && !V->getType()->isReferenceType();
    if (D && (By.Named.count(D) || (By.Called && !Own)))
      return true;
    if (isa<CallExpr>(E) || E->getType().isVolatileQualified() || E->getType()->isAtomicType())
      return true;
  }
  return llvm::any_of(Condition->children(), [&](const Stmt *Part) { return Part && mayChange(Part, By); });
}

/// The value, where polls find nothing and the other calls do what they should.
std::optional<std::int64_t> value(const Expr *E, const Zeros &Known, const ASTContext &Context);

std::optional<std::int64_t> valueOf(const BinaryOperator &B, const Zeros &Known, const ASTContext &Context) {
  std::optional<std::int64_t> Right = value(B.getRHS(), Known, Context);
  if (B.getOpcode() == BO_Assign || B.getOpcode() == BO_Comma)
    return Right;
  std::optional<std::int64_t> Left = value(B.getLHS(), Known, Context);
  if (!Left || !Right)
    return std::nullopt;
  switch (B.getOpcode()) {
  case BO_EQ:
    return *Left == *Right;
  case BO_NE:
    return *Left != *Right;
  case BO_LT:
    return *Left < *Right;
  case BO_LE:
    return *Left <= *Right;
  case BO_GT:
    return *Left > *Right;
  case BO_GE:
    return *Left >= *Right;
  default:
    return std::nullopt;
  }
}

std::optional<std::int64_t> value(const Expr *E, const Zeros &Known, const ASTContext &Context) {
  E = E->IgnoreParenCasts();
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return valueOf(*B, Known, Context);
  auto *Unary = dyn_cast<UnaryOperator>(E);
  if (Unary && Unary->getOpcode() == UO_LNot) {
    std::optional<std::int64_t> Of = value(Unary->getSubExpr(), Known, Context);
    return Of ? std::optional<std::int64_t>(!*Of) : std::nullopt;
  }
  StringRef Callee = calleeOf(E);
  if (Callee == "ibv_poll_cq" || Callee == "ibv_get_cq_event" || Callee == "ibv_req_notify_cq")
    return 0;
  if (const VarDecl *V = variable(E))
    return Known.count(V) ? std::optional<std::int64_t>(0) : std::nullopt;
  Expr::EvalResult Constant;
  if (!E->isValueDependent() && E->EvaluateAsInt(Constant, Context) &&
      Constant.Val.getInt().isRepresentableByInt64())
    return Constant.Val.getInt().getExtValue();
  return std::nullopt;
}

const FunctionDecl *functionOf(const Stmt &S, ASTContext &Context) {
  for (DynTypedNodeList Around = Context.getParents(S); !Around.empty();
       Around = Context.getParents(Around[0]))
    if (auto *Function = Around[0].get<FunctionDecl>())
      return Function;
  return nullptr;
}

/// The conditions that hold where the loops around the statement have begun another round.
std::vector<const Expr *> heldAt(const Stmt &S, ASTContext &Context) {
  std::vector<const Expr *> All, Held;
  for (DynTypedNodeList Around = Context.getParents(S); !Around.empty() && !Around[0].get<FunctionDecl>();
       Around = Context.getParents(Around[0])) {
    auto *While = Around[0].get<WhileStmt>();
    auto *For = Around[0].get<ForStmt>();
    if (const Expr *Condition = While ? While->getCond() : For ? For->getCond() : nullptr)
      All.push_back(Condition->IgnoreParenImpCasts());
  }
  while (!All.empty()) {
    const Expr *E = All.back();
    All.pop_back();
    auto *B = dyn_cast<BinaryOperator>(E);
    if (!B || B->getOpcode() != BO_LAnd) {
      Held.push_back(E);
      continue;
    }
    All.push_back(B->getLHS()->IgnoreParenImpCasts());
    All.push_back(B->getRHS()->IgnoreParenImpCasts());
  }
  return Held;
}

/// Follows a function from where it wakes up.
class Walk {
public:
  Walk(const CFG &Graph, ASTContext &Context, const CallExpr &Sleep)
      : Graph(Graph), Context(Context), Sleep(&Sleep), Held(heldAt(Sleep, Context)) {}

  bool goesBack() {
    for (const CFGBlock *Block : Graph) {
      unsigned At = 0;
      for (const CFGElement &Element : *Block) {
        ++At;
        auto Statement = Element.getAs<CFGStmt>();
        if (Statement && Statement->getStmt() == Sleep)
          return from(*Block, At, Since::Awake, {}) && stillHold(*Block, At);
      }
    }
    return false;
  }

private:
  /// Are the conditions of the loops around, which held in this round, as they were?
  bool stillHold(const CFGBlock &Block, unsigned At) {
    return llvm::all_of(Taken, [&](const Expr *Condition) {
      Changes Before = OnTheWay;
      std::set<const CFGBlock *> Done;
      return noteBefore(Block, At, Condition, Before, Done) && !mayChange(Condition, Before);
    });
  }
  /// What comes between the condition and the block's first statements, to which there is no other way.
  bool noteBefore(const CFGBlock &Block, unsigned At, const Expr *Condition, Changes &In,
                  std::set<const CFGBlock *> &Done) {
    while (At-- > 0)
      if (auto Statement = Block[At].getAs<CFGStmt>())
        note(*Statement->getStmt(), In);
    return &Block != &Graph.getEntry() && llvm::all_of(Block.preds(), [&](const CFGBlock *Previous) {
      return !Previous || conditionOf(*Previous) == Condition || !Done.insert(Previous).second ||
             noteBefore(*Previous, Previous->size(), Condition, In, Done);
    });
  }
  static const Expr *conditionOf(const CFGBlock &Block) {
    bool Chooses = Block.succ_size() == 2 && !isa_and_nonnull<SwitchStmt>(Block.getTerminatorStmt());
    const Expr *Condition = Chooses ? Block.getLastCondition() : nullptr;
    return Condition ? Condition->IgnoreParenImpCasts() : nullptr;
  }
  /// What the statement makes of what is known; whether the thread sleeps there.
  bool step(const Stmt &S, Since &Stage, Zeros &Known) {
    note(S, OnTheWay);
    StringRef Callee = calleeOf(&S);
    if (Callee == "ibv_get_cq_event")
      return true;
    if (Callee == "ibv_req_notify_cq")
      Stage = Since::Asked;
    else if (Callee == "ibv_poll_cq" && Stage != Since::Awake)
      Stage = Since::Polled;
    if (auto *Declared = dyn_cast<DeclStmt>(&S))
      for (const Decl *D : Declared->decls())
        if (auto *V = dyn_cast<VarDecl>(D))
          set(V, V->getInit() ? value(V->getInit(), Known, Context) : std::nullopt, Known);
    if (auto *B = dyn_cast<BinaryOperator>(&S); B && B->isAssignmentOp())
      set(variable(B->getLHS()),
          B->getOpcode() == BO_Assign ? value(B->getRHS(), Known, Context) : std::nullopt, Known);
    // Also the address of one, which code may change it through.
    if (auto *U = dyn_cast<UnaryOperator>(&S);
        U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf))
      set(variable(U->getSubExpr()), std::nullopt, Known);
    return false;
  }
  static void set(const VarDecl *V, std::optional<std::int64_t> To, Zeros &Known) {
    if (V && To == 0 && V->hasLocalStorage())
      Known.insert(V);
    else if (V)
      Known.erase(V);
  }
  bool from(const CFGBlock &Block, unsigned At, Since Stage, Zeros Known) {
    for (; At < Block.size(); ++At)
      if (auto Statement = Block[At].getAs<CFGStmt>(); Statement && step(*Statement->getStmt(), Stage, Known))
        return Stage == Since::Polled;
    if (&Block == &Graph.getExit() || Block.hasNoReturnElement())
      return false;
    const Expr *Condition = conditionOf(Block);
    std::optional<std::int64_t> Holds = Condition ? value(Condition, Known, Context) : std::nullopt;
    if (Condition && !Holds && llvm::is_contained(Held, Condition)) {
      Taken.insert(Condition);
      Holds = 1;
    }
    unsigned Index = 0;
    for (const CFGBlock::AdjacentBlock &Next : Block.succs()) {
      bool Goes = !Holds || (*Holds != 0) == (Index == 0);
      ++Index;
      if (!Next.getReachableBlock() || !Goes)
        continue;
      if (Seen.insert({Next->getBlockID(), Stage, Known}).second && !from(*Next, 0, Stage, Known))
        return false;
    }
    return true;
  }

  const CFG &Graph;
  ASTContext &Context;
  const Stmt *Sleep;
  const std::vector<const Expr *> Held;
  std::set<const Expr *> Taken; ///< those of them on which the way back hangs
  Changes OnTheWay;
  std::set<std::tuple<unsigned, Since, Zeros>> Seen;
};

} // namespace

bool goesBackToSleep(ASTContext &Context, const CallExpr &Sleep) {
  const FunctionDecl *Function = functionOf(Sleep, Context);
  if (!Function || Function->isDependentContext())
    return false;
  CFG::BuildOptions Options;
  Options.setAllAlwaysAdd();
  std::unique_ptr<CFG> Graph = CFG::buildCFG(Function, Function->getBody(), &Context, Options);
  return Graph && Walk(*Graph, Context, Sleep).goesBack();
}

} // namespace rdma::source
