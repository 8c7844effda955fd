#include "rewriter/source/Sleeps.h"

#include "rewriter/source/Bodies.h"
#include "rewriter/source/Carriers.h"
#include "rewriter/source/ControlFlow.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/ParentMapContext.h>

#include <array>
#include <map>
#include <memory>
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
  bool Others = false; ///< anything that other code can see
};

/// What a call of a function does where polls find nothing.
struct Effect {
  std::array<Since, 3> After; ///< by how it was before
  Changes Does;
  std::optional<std::int64_t> Returns;
};

class Effects;
/// By the tree of a source.
using Trees = std::map<const ASTContext *, std::unique_ptr<Effects>>;

/// The functions that one source calls, each followed once.
class Effects {
public:
  Effects(ASTContext &Context, Bodies &Given, Trees &All) : Context(Context), Given(Given), All(All) {}

  /// Null where it is not known.
  const Effect *of(const CallExpr &Call);

  ASTContext &Context;

private:
  std::optional<Effect> followed(const Bodies::Body &Called);

  Bodies &Given;
  Trees &All;
  std::map<const FunctionDecl *, std::optional<Effect>> Known;
};

/// Has the call this expression for an argument, and changes nothing through it?
bool isOnlyRead(const Expr &E, Effects &Calls) {
  DynTypedNodeList Around = Calls.Context.getParents(E);
  while (!Around.empty() && Around[0].get<CastExpr>())
    Around = Calls.Context.getParents(Around[0]);
  auto *Call = Around.empty() ? nullptr : Around[0].get<CallExpr>();
  const Effect *Does = Call ? Calls.of(*Call) : nullptr;
  return Does && !Does->Does.Others;
}

void noteCall(const CallExpr &Call, Changes &In, Effects &Calls) {
  if (calleeOf(&Call).starts_with("ibv_"))
    return;
  const Effect *Known = Calls.of(Call);
  if (Known)
    In.Named.insert(Known->Does.Named.begin(), Known->Does.Named.end());
  if (Known && !Known->Does.Others)
    return;
  In.Others = true;
  for (const Expr *Given : Call.arguments())
    if (Given->isLValue() && !Given->getType().isConstQualified())
      In.Named.insert(named(Given));
}

/// A variable that no one but its function has is named; so is a member, of whichever object.
void noteAssigned(const Expr *To, Changes &In) {
  const ValueDecl *D = named(To);
  auto *V = dyn_cast_or_null<VarDecl>(D);
  In.Named.insert(D);
  In.Others |= !D || (V && V->getType()->isReferenceType());
}

void note(const Stmt &S, Changes &In, Effects &Calls) {
  if (auto *B = dyn_cast<BinaryOperator>(&S); B && B->isAssignmentOp())
    noteAssigned(B->getLHS(), In);
  auto *U = dyn_cast<UnaryOperator>(&S);
  if (U && U->isIncrementDecrementOp())
    noteAssigned(U->getSubExpr(), In);
  if (U && U->getOpcode() == UO_AddrOf && !isOnlyRead(*U, Calls))
    In.Named.insert(named(U->getSubExpr()));
  if (auto *Call = dyn_cast<CallExpr>(&S))
    noteCall(*Call, In, Calls);
}

/// May the value of the condition be another one behind the changes?
bool mayChange(const Stmt *Condition, const Changes &By) {
  if (auto *E = dyn_cast<Expr>(Condition)) {
    const ValueDecl *D = named(E);
    auto *V = dyn_cast_or_null<VarDecl>(D);
    bool Own = V && V->hasLocalStorage() && !V->getType()->isReferenceType();
    if (D && (By.Named.count(D) || (By.Others && !Own)))
      return true;
    auto *U = dyn_cast<UnaryOperator>(E);
    if (By.Others && (isa<ArraySubscriptExpr>(E) || (U && U->getOpcode() == UO_Deref)))
      return true;
    if (isa<CallExpr>(E) || E->getType().isVolatileQualified() || E->getType()->isAtomicType())
      return true;
  }
  return llvm::any_of(Condition->children(), [&](const Stmt *Part) { return Part && mayChange(Part, By); });
}

/// The value, where polls find nothing and the other calls do what they should.
std::optional<std::int64_t> value(const Expr *E, const Zeros &Known, Effects &Calls);

std::optional<std::int64_t> valueOf(const BinaryOperator &B, const Zeros &Known, Effects &Calls) {
  std::optional<std::int64_t> Right = value(B.getRHS(), Known, Calls);
  if (B.getOpcode() == BO_Assign || B.getOpcode() == BO_Comma)
    return Right;
  std::optional<std::int64_t> Left = value(B.getLHS(), Known, Calls);
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

std::optional<std::int64_t> value(const Expr *E, const Zeros &Known, Effects &Calls) {
  E = E->IgnoreParenCasts();
  if (auto *B = dyn_cast<BinaryOperator>(E))
    return valueOf(*B, Known, Calls);
  if (auto *Choice = dyn_cast<ConditionalOperator>(E)) {
    std::optional<std::int64_t> Holds = value(Choice->getCond(), Known, Calls);
    return Holds ? value(*Holds ? Choice->getTrueExpr() : Choice->getFalseExpr(), Known, Calls)
                 : std::nullopt;
  }
  auto *Unary = dyn_cast<UnaryOperator>(E);
  if (Unary && Unary->getOpcode() == UO_LNot) {
    std::optional<std::int64_t> Of = value(Unary->getSubExpr(), Known, Calls);
    return Of ? std::optional<std::int64_t>(!*Of) : std::nullopt;
  }
  StringRef Callee = calleeOf(E);
  if (Callee == "ibv_poll_cq" || Callee == "ibv_get_cq_event" || Callee == "ibv_req_notify_cq")
    return 0;
  if (auto *Call = dyn_cast<CallExpr>(E)) {
    const Effect *Does = Calls.of(*Call);
    return Does ? Does->Returns : std::nullopt;
  }
  if (const VarDecl *V = variable(E))
    return Known.count(V) ? std::optional<std::int64_t>(0) : std::nullopt;
  Expr::EvalResult Constant;
  if (!E->isValueDependent() && E->EvaluateAsInt(Constant, Calls.Context) &&
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

/// Follows a function from where it wakes up, or all of one that is called.
class Walk {
public:
  Walk(const CFG &Graph, Effects &Calls, const CallExpr &Sleep)
      : Graph(Graph), Calls(Calls), Sleep(&Sleep), Held(heldAt(Sleep, Calls.Context)) {}
  Walk(const CFG &Graph, Effects &Calls) : Graph(Graph), Calls(Calls) {}

  std::optional<Effect> through() {
    Effect All;
    for (unsigned Before = 0; Before < All.After.size(); ++Before) {
      AtExit = std::nullopt;
      Seen.clear();
      if (!from(Graph.getEntry(), 0, Since(Before), {}) || !AtExit)
        return std::nullopt;
      All.After[Before] = *AtExit;
    }
    All.Does = OnTheWay;
    All.Returns = Returns.size() == 1 ? *Returns.begin() : std::nullopt;
    return All;
  }

  bool goesBack() {
    for (const CFGBlock *Block : Graph) {
      unsigned At = 0;
      for (const CFGElement &Element : *Block) {
        ++At;
        if (statementOf(Element) == Sleep)
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
      noteStep(Block[At], In);
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
  bool step(const CFGElement &Step, Since &Stage, Zeros &Known) {
    noteStep(Step, OnTheWay);
    const Stmt *Statement = statementOf(Step);
    return Statement && step(*Statement, Stage, Known);
  }
  /// What an object that is made or destroyed there changes is not known, unless it does nothing at all, or
  /// is of the library.
  void noteStep(const CFGElement &Step, Changes &In) {
    const Stmt *S = statementOf(Step);
    const FunctionDecl *Callee = S && !isa<CXXConstructExpr>(S) ? nullptr : calledBy(Step, Calls.Context);
    In.Others |= Callee && !Callee->isTrivial() && !isOfLibrary(*Callee);
    if (S)
      note(*S, In, Calls);
  }
  bool step(const Stmt &S, Since &Stage, Zeros &Known) {
    StringRef Callee = calleeOf(&S);
    if (Callee == "ibv_get_cq_event")
      return true;
    if (Callee == "ibv_req_notify_cq")
      Stage = Since::Asked;
    else if (Callee == "ibv_poll_cq" && Stage != Since::Awake)
      Stage = Since::Polled;
    auto *Call = dyn_cast<CallExpr>(&S);
    if (const Effect *Does = Call ? Calls.of(*Call) : nullptr)
      Stage = Does->After[unsigned(Stage)];
    if (auto *Return = dyn_cast<ReturnStmt>(&S))
      Returns.insert(Return->getRetValue() ? value(Return->getRetValue(), Known, Calls) : std::nullopt);
    if (auto *Declared = dyn_cast<DeclStmt>(&S))
      for (const Decl *D : Declared->decls())
        if (auto *V = dyn_cast<VarDecl>(D))
          set(V, V->getInit() ? value(V->getInit(), Known, Calls) : std::nullopt, Known);
    if (auto *B = dyn_cast<BinaryOperator>(&S); B && B->isAssignmentOp())
      set(variable(B->getLHS()),
          B->getOpcode() == BO_Assign ? value(B->getRHS(), Known, Calls) : std::nullopt, Known);
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
      if (step(Block[At], Stage, Known))
        return Sleep && Stage == Since::Polled;
    if (&Block == &Graph.getExit())
      AtExit = std::min(AtExit.value_or(Stage), Stage);
    if (&Block == &Graph.getExit() || Block.hasNoReturnElement())
      return !Sleep && &Block == &Graph.getExit();
    const Expr *Condition = conditionOf(Block);
    std::optional<std::int64_t> Holds = Condition ? value(Condition, Known, Calls) : std::nullopt;
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
  Effects &Calls;
  const Stmt *Sleep = nullptr;
  const std::vector<const Expr *> Held;
  std::set<const Expr *> Taken; ///< those of them on which the way back hangs
  Changes OnTheWay;
  std::optional<Since> AtExit; ///< at least
  std::set<std::optional<std::int64_t>> Returns;
  std::set<std::tuple<unsigned, Since, Zeros>> Seen;
};

std::optional<Effect> Effects::followed(const Bodies::Body &Called) {
  ASTContext &There = Called.Function->getASTContext();
  if (&There == &Context) {
    std::unique_ptr<CFG> Graph = graphOf(*Called.Function, Context);
    return Graph ? Walk(*Graph, *this).through() : std::nullopt;
  }
  // Another source has other names for what both see.
  std::unique_ptr<Effects> &Calls = All[&There];
  if (!Calls)
    Calls = std::make_unique<Effects>(There, Given, All);
  std::optional<Effect> Does = Calls->followed(Called);
  if (Does)
    Does->Does.Others |= llvm::any_of(Does->Does.Named, [](const ValueDecl *D) {
      auto *V = dyn_cast_or_null<VarDecl>(D);
      return !V || !V->hasLocalStorage();
    });
  return Does;
}

const Effect *Effects::of(const CallExpr &Call) {
  const FunctionDecl *Callee = Call.getDirectCallee();
  auto *Method = dyn_cast_or_null<CXXMethodDecl>(Callee);
  if (!Callee || (Method && Method->isVirtual()))
    return nullptr;
  Bodies::Body Called = Given.of(*Callee);
  if (!Called.Function)
    return nullptr;
  auto [At, New] = Known.insert({Called.Function, std::nullopt}); // what calls itself is not known
  if (New)
    At->second = followed(Called);
  return At->second ? &*At->second : nullptr;
}

} // namespace

bool goesBackToSleep(ASTContext &Context, const CallExpr &Sleep, Bodies &Given) {
  const FunctionDecl *Function = functionOf(Sleep, Context);
  if (!Function)
    return false;
  Trees Others;
  Effects &Calls = *(Others[&Context] = std::make_unique<Effects>(Context, Given, Others));
  std::unique_ptr<CFG> Graph = graphOf(*Function, Context);
  return Graph && Walk(*Graph, Calls, Sleep).goesBack();
}

} // namespace rdma::source
