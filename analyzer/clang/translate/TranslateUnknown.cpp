// What is not understood: the one place that every instruction, intrinsic and call falls into that neither
// Understand.h nor the table of functions knows. It is taken to read and write what it is given, and
// withholds *robust* wherever it may do more.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/api/NodeLinks.h"
#include "analyzer/clang/api/ParameterTypes.h"
#include "analyzer/clang/frontend/Spelling.h"
#include "analyzer/clang/translate/Callbacks.h"
#include "analyzer/clang/translate/Translator.h"
#include "analyzer/clang/translate/Understand.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/InlineAsm.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

bool isAny(const Origin *Base) { return Base->What == Origin::Kind::Unknown; }

std::string nameOf(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return std::string("the instruction '") + I.getOpcodeName() + "'";
  if (Call->isInlineAsm())
    return "this assembly";
  const Function *Callee = Call->getCalledFunction();
  return Callee ? "'" + spellFunction(*Callee) + "'" : "this call";
}

/// The bytes from where a pointer leads to the end of the member that it leads to, of an array all elements;
/// Unbounded: all of its block. Target: the type that it is a pointer to.
std::int64_t restOfMember(const Pointer &At, const DIType *Target) {
  const std::int64_t Least = sizeOf(Target).value_or(1);
  if (!At.Base->named() || !At.exact() || (!Target && At.Low == 0))
    return Unbounded;
  const std::vector<Field> Fields = fieldsOf(At.Base->Name, At.Base->Indirect);
  const Field *Member = nullptr;
  for (const Field &F : Fields) // a struct before its members
    if (F.Begin <= At.Low && At.Low + Least <= F.End &&
        (!Member || F.End - F.Begin < Member->End - Member->Begin))
      Member = &F;
  const Field *Array = nullptr;
  for (const Field &F : Fields)
    if (Member && StringRef(Member->Name).starts_with(F.Name + "["))
      Array = &F;
  if (Member && !Array && StringRef(Member->Name).ends_with("]")) // an element of the block
    return Unbounded;
  return Member ? (Array ? Array : Member)->End - At.Low : Unbounded;
}

} // namespace

/// A call reads, or writes, what a pointer leads to, and says no length: the member there, and what lies
/// beside it in its block perhaps.
void Translator::touchFrom(OperationKind Kind, const CallBase &Call, unsigned Argument) {
  const Value *Pointer = Call.getArgOperand(Argument);
  const DIType *Target = pointedTo(Call, Argument);
  auto rest = [&](const clang_ir::Pointer &At) { return restOfMember(At, Target); };
  Ways Members = each(Kind, Pointer, rest), Beside = each(Kind, Pointer, Unbounded);
  bool HasMembers = false;
  for (std::size_t I = 0; I < Members.size(); ++I)
    if (!Members[I][0].Local.whole())
      HasMembers = Beside[I][0].Local.Somewhere = true;
  emit(atMost(std::move(Members)), Call);
  if (HasMembers)
    emit(std::move(Beside), Call);
}

/// Reads and writes all that the pointers it is given lead to directly.
std::vector<ObjectId> Translator::touch(const Instruction &I) {
  auto *Call = dyn_cast<CallBase>(&I);
  std::vector<ObjectId> Touched;
  for (const Use &U : Call ? Call->args() : I.operands()) {
    if (!U->getType()->isPointerTy() || isa<Function>(U->stripPointerCasts()) || isa<BasicBlock>(U))
      continue;
    unsigned Number = U.getOperandNo();
    if (Call && Call->doesNotAccessMemory(Number))
      continue;
    for (const Access &A : accesses(U, Unbounded))
      Touched.push_back(A.Target);
    auto touches = [&](OperationKind Kind) {
      Call ? touchFrom(Kind, *Call, Number) : emit(each(Kind, U, Unbounded), I);
    };
    if (!Call || !Call->onlyWritesMemory(Number))
      touches(Load);
    if (!Call || !Call->onlyReadsMemory(Number))
      touches(Store);
  }
  return Touched;
}

/// The blocks of the program that can be reached from these pointers, these included; and any memory, where
/// that cannot be told.
std::vector<const Origin *> Translator::below(const PointerSet &Given) {
  std::vector<const Origin *> All;
  for (const Pointer &P : Where.reachable(Given)) {
    bool Memory = P.Base->named() ? P.Base->What != Origin::Kind::Foreign : isAny(P.Base);
    if (Memory && !isLibraryType(strip(P.Base->Name.Type)))
      All.push_back(P.Base);
  }
  return All;
}

/// What a function may touch that is given these pointers, as far as that is known.
Translator::Reach Translator::reachOf(const Behaviour &Does, const PointerSet &Given) {
  PointerSet Known;
  for (const GlobalVariable *Global : Does.Globals)
    Pointers::addAll(Known, Where.resolve(Global));
  Reach All;
  if (goesElsewhere(Does)) {
    Pointers::addAll(Known, Given);
    All.Blocks = below(Known), All.Anything = any_of(All.Blocks, isAny);
  } else {
    for (const Pointer &P : Known)
      All.Blocks.push_back(P.Base);
  }
  return All;
}

/// What a call that is not analysed may touch.
Translator::Reach Translator::reachOf(const CallBase &Call) {
  auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  PointerSet Given = givenTo(Call);
  if (Callee && !Callee->isDeclaration())
    return reachOf(behaviourOf(*Callee), Given);
  Reach All;
  if (!Callee && !Call.isInlineAsm()) {
    for (const Function *F : Where.functionsIn(Call.getCalledOperand(), All.Anything)) {
      Reach One = F->isDeclaration() ? Reach{below(Given), false} : reachOf(behaviourOf(*F), Given);
      All.Blocks.insert(All.Blocks.end(), One.Blocks.begin(), One.Blocks.end());
      All.Anything |= One.Anything || any_of(One.Blocks, isAny);
    }
    return All;
  }
  if (Callee && rowOf(*Callee))
    for (const Pointer &P : Given)
      All.Blocks.push_back(P.Base);
  else
    All.Blocks = below(Given), All.Anything = any_of(All.Blocks, isAny);
  return All;
}

std::vector<ObjectId> Translator::objectsOf(const std::vector<const Origin *> &Blocks) {
  std::vector<ObjectId> All;
  for (const Origin *Base : Blocks)
    if (isAny(Base) || (Base->named() && Base->What != Origin::Kind::Foreign))
      All.push_back(Stock.object(In.Home, *Base));
  return All;
}

/// What the arguments of a call that it may follow point to.
PointerSet Translator::givenTo(const CallBase &Call) {
  PointerSet Given;
  for (const Use &U : Call.args())
    if (U->getType()->isPointerTy() && !isa<Function>(U->stripPointerCasts()) &&
        !Call.doesNotAccessMemory(U.getOperandNo()))
      Pointers::addAll(Given, Where.resolve(U));
  return Given;
}

/// Can an object of verbs be reached from what it is given, such as a completion queue?
bool Translator::isGivenVerbs(const CallBase &Call) {
  return any_of(Where.reachable(givenTo(Call)),
                [](const Pointer &P) { return isVerbsType(strip(P.Base->Name.Type)); });
}

/// Reads and writes what can be reached from what it is given.
std::vector<ObjectId> Translator::touchReachable(const CallBase &Call) {
  std::vector<ObjectId> Touched = touch(Call);
  PointerSet Given = givenTo(Call);
  for (const Origin *Base : below(Given)) {
    if (std::any_of(Given.begin(), Given.end(), [&](const Pointer &G) { return G.Base == Base; }))
      continue;
    Operation Op;
    Op.Local = {Stock.object(In.Home, *Base)};
    Touched.push_back(Op.Local.Target);
    Op.Kind = Load;
    emit(Op, Call);
    Op.Kind = Store;
    emit(Op, Call);
  }
  return Touched;
}

/// The library has it from here on.
void Translator::keeps(const CallBase &Call) {
  if (std::vector<ObjectId> Touched = touchReachable(Call); !Touched.empty())
    remarkKept(Call, Touched);
}

void Translator::remarkKept(const CallBase &Call, const std::vector<ObjectId> &Touched) {
  remark(Call, {words::MayKeep, nameOf(Call)}, false, Touched);
}

void Translator::unknown(const Instruction &I) {
  touch(I);
  auto *Call = dyn_cast<CallBase>(&I);
  const ApiRow *Row = Call && !isa<IntrinsicInst>(Call) && !Call->isInlineAsm() ? meaning(*Call) : nullptr;
  bool Jumps = (Call && Call->hasFnAttr(Attribute::ReturnsTwice)) || (Row && Row->What == Api::Transfers);
  markCall(I, {Jumps ? words::GoesElsewhere : words::NotUnderstood, nameOf(I)});
}

/// `asm volatile("" ::: "memory")`, mfence and their like are known; other assembly may do anything.
void Translator::inlineAssembly(const CallBase &Call) {
  const StringRef Text = cast<InlineAsm>(Call.getCalledOperand())->getAsmString();
  if (Text.trim().empty()) // for the compiler only
    return;
  switch (understandAssembly(Text)) {
  case Assembly::Unknown:
    return unknown(Call);
  case Assembly::Fence:
    fence(Call);
    break;
  case Assembly::Nothing:
    break;
  }
  std::vector<ObjectId> Touched = touch(Call);
  if (!Touched.empty())
    remark(Call, words::AssemblyTouches, true, Touched);
}

void Translator::linksNodes(const CallBase &Call, const NodeLinks &Links) {
  for (OperationKind Kind : {Store, Load, Store, Load}) { // in any order
    Ways Any;
    for (const Pointer &Node : Where.nodesOf(Call, Links))
      if (Node.Base->named() || isAny(Node.Base)) {
        Operation Op;
        Op.Kind = Kind;
        Op.Local = access(Node, Links.Size);
        Any.push_back({Op});
      }
    if (!Any.empty() && (Kind == Load || Links.Writes))
      emit(Any, Call);
  }
}

/// Of the standard libraries: it has returned what it was lent when it returns, and has no queue pair of its
/// own.
void Translator::standardFunction(const CallBase &Call, const Function &Callee) {
  if (std::optional<NodeLinks> Links = nodeLinks(Callee))
    return linksNodes(Call, *Links);
  const std::string Name = spellFunction(Callee);
  std::vector<ObjectId> Touched = touchReachable(Call);
  if (mayCarryOrder(Callee) && (Stock.T.given() || Stock.P.OpenWorld))
    remark(Call, {words::MayCarryOrder, Name}, false);
  if (!Touched.empty())
    remark(Call, {words::TouchesGiven, Name}, true, Touched);
}

/// What is said of a function that may do anything; nothing: it is set-up code, or nothing comes after it.
Said Translator::unfollowed(const Function *Callee) {
  if (!Callee)
    return words::CalleeUnknown;
  const std::string Name = spellFunction(*Callee);
  if (!Callee->isDeclaration())
    return {words::NotFollowed, Name};
  switch (declarerOf(*Callee)) {
  case Declarer::Library:
    return {words::OfLibrary, Name};
  case Declarer::Verbs:
    return {words::OfVerbs, Name};
  case Declarer::Standard:
  case Declarer::Program:
    break;
  }
  const bool SetUp = Stock.T.listsSetup(Name);
  // A path that ends there does nothing more that anybody waits for.
  return SetUp || Callee->doesNotReturn() ? Said() : Said(words::NotInSources, Name);
}

/// A function that calls itself, such as what destroys a tree: where it does nothing that makes order, what
/// it reads and writes is all. It may do so in any order: what is said twice has each before each. Which of
/// these blocks it comes to is not known.
bool Translator::summarised(const CallBase &Call, const Function &Callee) {
  const Behaviour Does = behaviourOf(Callee);
  const Reach May = reachOf(Does, givenTo(Call));
  if (Does.Unknown || May.Anything)
    return false;
  const PointerSet Freed = Where.freedIn(Does.Runs);
  auto mayWrite = [&](const Origin *Block) {
    return any_of(Freed, [&](const Pointer &P) { return P.Base == Block || !P.Base->named(); }) ||
           any_of(Where.writers({Block, 0, Unbounded, 0, {1}}, Unbounded),
                  [&](const Function *By) { return !By || Does.Runs.count(By); });
  };
  for (OperationKind Kind : {Store, Load, Store, Load})
    for (const Origin *Block : May.Blocks) {
      Operation Op;
      Op.Local = {Stock.object(In.Home, *Block)};
      Op.Local.Somewhere = true;
      Op.Kind = Kind;
      if (Kind == Load || mayWrite(Block))
        emit(Op, Call);
    }
  return true;
}

/// Is what it calls to be found behind a pointer that is always null, as a list that nobody adds to begins?
static bool isFoundNowhere(const CallBase &Call, Pointers &Where) {
  auto *Load = dyn_cast<LoadInst>(Call.getCalledOperand()->stripPointerCasts());
  return Load && Where.resolve(Load->getPointerOperand()).empty();
}

void Translator::unknownFunction(const CallBase &Call) {
  auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  if (!Callee && isFoundNowhere(Call, Where))
    return;
  const bool Declared = Callee && Callee->isDeclaration();
  if (Callee && !Declared && summarised(Call, *Callee))
    return;
  if (Declared && declarerOf(*Callee) == Declarer::Standard)
    return standardFunction(Call, *Callee);
  const Said Text = unfollowed(Callee);
  // It may poll before it touches what it is given.
  if (!Text.empty() && isGivenVerbs(Call))
    markCall(Call, Text);
  touch(Call);
  if (Declared && declarerOf(*Callee) == Declarer::Program && !Callee->doesNotReturn())
    emit(Operation{.Outside = true}, Call);
  if (!Text.empty())
    markCall(Call, Text);
}

namespace {

/// The argument that a function of the C library calls, or -1.
int callbackOf(const ApiRow &Row) {
  static const std::map<std::string_view, int> Known = {{"signal", 1},
                                                        {"atexit", 0},
                                                        {"on_exit", 0},
                                                        {"__cxa_atexit", 0},
                                                        {"qsort", 3},
                                                        {"bsearch", 4},
                                                        {"pthread_once", 1},
                                                        {"call_once", 1},
                                                        {"pthread_atfork", 0},
                                                        {"quick_exit", -1},
                                                        {"__cxa_thread_atexit", 0},
                                                        {"tsearch", 2}};
  auto Found = Known.find(Row.Name);
  return Found == Known.end() ? -1 : Found->second;
}

/// May a function of the library, called here, allocate memory or give it back?
bool mayAllocate(const CallBase &Call, const ApiRow *Row) {
  const Function *Callee = calledFunction(Call);
  if (!Callee || !Callee->isDeclaration() || declarerOf(*Callee) != Declarer::Standard)
    return false;
  switch (Row ? Row->What : Api::Memory) {
  case Api::Nothing:
  case Api::Same:
  case Api::MemoryFence:
  case Api::Sync:
  case Api::SyncStore:
  case Api::SyncThrough:
  case Api::Ends:
    return false;
  default:
    return true;
  }
}

} // namespace

/// A function that is given to a call may be called there, or at any time later.
namespace {

bool isDestructor(const Function &F) {
  ItaniumPartialDemangler Name;
  return !Name.partialDemangle(F.getName().str().c_str()) && Name.isCtorOrDtor();
}

} // namespace

/// Of the objects that a call finds: a stream calls its buffer's, a locale its facets'. Whoever has not made
/// an object does not delete it.
std::vector<const Function *> Translator::virtualFunctionsBelow(const CallBase &Call) {
  std::vector<const Function *> Found;
  for (const Origin *Base : below(givenTo(Call)))
    for (const GlobalVariable *Table : Where.tablesStoredIn(*Base))
      for (const Use &Part : Table->getInitializer()->operands())
        for (const Use &Slot : cast<User>(Part)->operands()) {
          auto *F = dyn_cast<Function>(Slot->stripPointerCasts());
          if (F && runsProgram(*F) && (Base->What == Origin::Kind::Heap || !isDestructor(*F)))
            Found.push_back(F);
        }
  return Found;
}

void Translator::callbacks(const CallBase &Call, const ApiRow *Row) {
  if (mayAllocate(Call, Row))
    for (const Function *F : replacedIn(*In.F.getParent())) {
      Behaviour Does = behaviourOf(*F);
      Reach Shared = reachOf(Does, {});
      bool Harmless = !Does.Unknown && !Shared.Anything && !goesElsewhere(Does);
      if (!Harmless || !Shared.Blocks.empty())
        Log.add(siteOf(*F), {words::Replaces, spellFunction(*F)}, false,
                Harmless ? objectsOf(Shared.Blocks) : std::vector<ObjectId>{});
    }
  if (Row && startsThread(*Row))
    return;
  if (Row && (Row->Name.starts_with("ibv_") || Row->Name.starts_with("rdma_")))
    return; // they call nothing that they are given, whatever else such a pointer may lead to
  auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  if (Callee && !Callee->isDeclaration())
    return; // its body says what it does with the function
  std::vector<const Function *> Given;
  int Routine = Row ? callbackOf(*Row) : -1;
  for (const Use &U : Call.args()) {
    if (auto *F = dyn_cast<Function>(U->stripPointerCasts())) {
      Given.push_back(F);
      continue;
    }
    bool Open = false;
    if (U->getType()->isPointerTy())
      for (const Function *F : Where.functionsIn(U, Open))
        Given.push_back(F);
    // SIG_IGN and SIG_DFL are numbers.
    if (Open && static_cast<int>(U.getOperandNo()) == Routine && !isa<Constant>(U))
      remark(Call, {words::CallbackUnknown, nameOf(Call)}, false);
    if (U->getType()->isPointerTy() &&
        (!Row || Row->Name == "sigaction" || Row->What == Api::StartsCode || Row->What == Api::Keeps))
      for (const Pointer &P : Where.resolve(U))
        if (P.Base->named())
          for (const Function *F : Where.functionsStoredIn(*P.Base))
            Given.push_back(F);
  }
  if (!Row && Callee && declarerOf(*Callee) == Declarer::Standard)
    append_range(Given, virtualFunctionsBelow(Call));
  bool AtExit = Row && Row->Name.starts_with("__cxa_");
  // Its destructor is called with what is thrown, where the last handler ends.
  const PointerSet Thrown =
      Row && Row->Name == "__cxa_throw" ? Where.resolve(Call.getArgOperand(0)) : PointerSet();
  auto tell = [&](const Site &At, const std::vector<std::string> &Names, std::vector<ObjectId> On) {
    Log.add(At, {Names.size() == 1 ? words::Callback : words::Callbacks, listedNames(Names), nameOf(Call)},
            false, std::move(On));
  };
  std::set<std::string> Unseen; // with no more to be known of them
  for (const Function *F : Given) {
    Behaviour Does = behaviourOf(*F);
    Reach Shared = reachOf(Does, Thrown);
    // A library's own function may call the program back: std::call_once does.
    bool Opaque = F->isDeclaration() && !rowOf(*F) && !AtExit;
    // What a comparison is given belongs to the call; what is destroyed at the end is looked at there.
    bool Elsewhere = Does.Stores || Does.Loads || (Does.LoadsGiven && !Row);
    bool Harmless = !Does.Unknown && !Shared.Anything && !Opaque && (!Elsewhere || AtExit);
    if (Harmless && Shared.Blocks.empty())
      continue;
    // The compiler's own code, which registers what is destroyed at the end, has no place.
    Site At = siteOf(Call.getDebugLoc());
    std::string Name = spellFunction(*F);
    if (Harmless || !At.known())
      tell(At.known() ? At : siteOf(*F), {Name},
           Harmless ? objectsOf(Shared.Blocks) : std::vector<ObjectId>{});
    else
      Unseen.insert(Name);
  }
  if (!Unseen.empty())
    tell(siteOf(Call.getDebugLoc()), {Unseen.begin(), Unseen.end()}, {});
}

} // namespace rdma::clang_ir
