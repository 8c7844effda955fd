// What stores, intrinsics and calls do to what memory holds.
#include "analyzer/clang/api/ApiTable.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/CxxStreams.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/api/Messages.h"
#include "analyzer/clang/api/NodeLinks.h"
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/PointsTo.h"
#include "analyzer/clang/memory/TextRoom.h"

#include <llvm/IR/InstIterator.h>

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// What a function makes and hands out through the argument that it writes.
std::optional<Origin::Kind> handedOut(const ApiRow &Row) {
  if (Row.Name == "posix_memalign" || fillsString(Row))
    return Origin::Kind::Heap;
  if (Row.Name == "getaddrinfo" || Row.Name == "getifaddrs" || Row.Name == "rdma_create_id" ||
      Row.Name == "rdma_create_ep" || Row.Name == "rdma_get_request" || makesException(Row))
    return Origin::Kind::Foreign;
  return std::nullopt;
}

/// What lies so many pointers behind these. First: the first of them stands there, and not further behind.
PointerSet keptBehind(PointsTo &Process, PointerSet All, unsigned Steps, bool First = false) {
  for (; Steps > 0; --Steps) {
    PointerSet Next;
    for (const Pointer &P : All)
      if (P.Base->named())
        addAll(Next, Process.contents(First ? P : anyKept(P.Base), 8, true));
      else if (P.Base->What == Origin::Kind::Unknown)
        addAll(Next, {P});
    All = std::move(Next);
  }
  return All;
}

PointerSet blurred(PointerSet All) {
  for (Pointer &P : All)
    P.blur();
  return All;
}

/// The words that getopt is given. What main is given are no buffers.
PointerSet wordsOf(PointsTo &Process, PointerSet List) {
  erase_if(List, [](const Pointer &P) { return P.Base->What == Origin::Kind::Foreign; });
  return blurred(keptBehind(Process, List, 1));
}

/// The words of an environment that the program puts in the place of its own.
PointerSet inEnvironment(PointsTo &Process, InstanceId I) {
  PointerSet All;
  for (StringRef Name : {"environ", "__environ", "_environ"})
    if (const GlobalVariable *Words = Process.instance(I).F.getParent()->getNamedGlobal(Name);
        Words && !all_of(Words->users(), [](const User *U) { return isa<LoadInst>(U); }))
      addAll(All, blurred(keptBehind(Process, Process.of(I, Words), 2)));
  return All;
}

/// Is what the intrinsic returns one of the pointers that it is given? Of others, such as those to frames and
/// to the thread's own block, it is not known where they lead.
bool handsThrough(const Function &Callee) {
  switch (Callee.getIntrinsicID()) {
  case Intrinsic::launder_invariant_group:
  case Intrinsic::strip_invariant_group:
  case Intrinsic::ptr_annotation:
  case Intrinsic::ptrmask:
  case Intrinsic::preserve_array_access_index:
  case Intrinsic::preserve_struct_access_index:
  case Intrinsic::preserve_union_access_index:
  case Intrinsic::ssa_copy:
  case Intrinsic::invariant_start:
    return true;
  default:
    return false;
  }
}

/// A function of the C library that is not known may return memory that a later call of one changes.
bool mayOwnResult(const CallBase &Call) {
  const Function *Callee = calledFunction(Call);
  return Callee && Callee->isDeclaration() && !Callee->isIntrinsic() &&
         !Callee->getName().starts_with("_Z") && !rowOf(*Callee) && declarerOf(*Callee) == Declarer::Standard;
}

} // namespace

void PointsTo::apply(InstanceId I, const Instruction &Inst) {
  if (auto *Store = dyn_cast<StoreInst>(&Inst))
    return applyStore(I, of(I, Store->getPointerOperand()), Store->getValueOperand());
  if (auto *Modify = dyn_cast<AtomicRMWInst>(&Inst))
    return applyStore(I, of(I, Modify->getPointerOperand()), Modify->getValOperand());
  if (auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&Inst))
    return applyStore(I, of(I, Exchange->getPointerOperand()), Exchange->getNewValOperand());
  if (auto *Call = dyn_cast<IntrinsicInst>(&Inst))
    return applyIntrinsic(I, *Call);
  if (auto *Call = dyn_cast<CallBase>(&Inst))
    return applyCall(I, *Call);
  if (isa<FenceInst>(Inst) || isa<LoadInst>(Inst))
    return;
  // Any other instruction that writes memory may put anything where it points.
  for (const Use &Operand : Inst.operands())
    if (Operand->getType()->isPointerTy())
      for (const Pointer &P : of(I, Operand))
        if (P.Base->named())
          write({P.Base, 0, Unbounded, 0, {1}}, Unbounded, I, unknown());
}

void PointsTo::applyStore(InstanceId I, const PointerSet &To, const Value *Stored) {
  const DataLayout &Layout = Instances[I]->F.getParent()->getDataLayout();
  std::int64_t Size = Layout.getTypeStoreSize(Stored->getType());
  PointerSet Held;
  if (mayHoldPointer(Stored->getType()))
    Held = of(I, Stored);
  else if (!isa<Constant>(Stored))
    Held = {Pointer{Number}}; // a part of a pointer, perhaps
  for (const Pointer &P : To)
    if (P.Base->named() && P.Base->What != Origin::Kind::Code)
      write(P, Size, I, Held);
    else if (P.Base->What == Origin::Kind::Unknown && bySetup(I))
      show(Held); // it may be memory of others: that for a struct that is returned
}

void PointsTo::applyIntrinsic(InstanceId I, const IntrinsicInst &Call) {
  if (auto *Move = dyn_cast<AnyMemTransferInst>(&Call)) {
    const PointerSet From = of(I, Move->getRawSource());
    for (const Pointer &P : PointerSet(of(I, Move->getRawDest())))
      copy({P}, From, mostWritten(*Move, P), I);
    return;
  }
  if (auto *Set = dyn_cast<AnyMemSetInst>(&Call)) {
    for (const Pointer &P : of(I, Set->getRawDest()))
      if (P.Base->named())
        write(P, mostWritten(*Set, P), I, {Pointer{Null}});
    return;
  }
  if (!Call.mayWriteToMemory() || Call.isAssumeLikeIntrinsic() || isa<LifetimeIntrinsic>(Call))
    return;
  for (const Use &Operand : Call.args())
    if (Operand->getType()->isPtrOrPtrVectorTy())
      for (const Pointer &P : of(I, Operand))
        if (P.Base->named())
          write({P.Base, 0, Unbounded, 0, {1}}, Unbounded, I, unknown());
}

/// What stands in a table of virtual functions for one that is pure or deleted, whatever its type is: as a
/// null pointer, no call that goes on enters it.
static bool endsTheProgram(const Function &F) {
  return F.isDeclaration() && (F.getName() == "__cxa_pure_virtual" || F.getName() == "__cxa_deleted_virtual");
}

/// The functions that a call may enter. Not whole: it may also be one that is not in the sources.
std::vector<Function *> PointsTo::callees(InstanceId I, const CallBase &Call, bool &Whole) {
  Whole = true;
  std::vector<Function *> All;
  if (auto *Direct = calledFunction(Call)) {
    All.push_back(const_cast<Function *>(Direct));
    return All;
  }
  if (Call.isInlineAsm()) {
    Whole = false;
    return All;
  }
  for (const Pointer &P : of(I, Call.getCalledOperand())) {
    if (P.Base->What == Origin::Kind::Code && endsTheProgram(*cast<Function>(P.Base->Root)))
      continue;
    if (P.Base->What == Origin::Kind::Code)
      All.push_back(const_cast<Function *>(cast<Function>(P.Base->Root)));
    else if (P.Base->What != Origin::Kind::Null)
      Whole = false;
  }
  return All;
}

void PointsTo::applyCall(InstanceId I, const CallBase &Call) {
  bool Whole = true;
  std::vector<Function *> All = callees(I, Call, Whole);
  for (Function *Callee : All) {
    const ApiRow *Row = apiOf(*Callee);
    if (std::optional<NodeLinks> Links = nodeLinks(*Callee))
      linkNodes(I, Call, *Links);
    else if (Row)
      applyRow(I, Call, *Row);
    else if (Callee->isDeclaration())
      Whole = false;
    else if (Entries.count(Callee))
      callEntry(I, *Callee, Call);
    else
      enter(*Callee, I, Call);
  }
  if (Whole)
    return;
  // One that the topology lists as set-up is trusted to post nothing that others wait for, but may post
  // receives.
  const Function *Direct = calledFunction(Call);
  if (Direct && declarerOf(*Direct) != Declarer::Standard)
    postedUnseen(I);
  const std::optional<InstanceId> Writer = writerIn(I, Direct);
  const DISubprogram *Declared = All.size() == 1 ? All[0]->getSubprogram() : nullptr;
  const DISubroutineType *Types = Declared ? Declared->getType() : nullptr;
  for (unsigned A = 0; A < Call.arg_size(); ++A) {
    const Value *Argument = Call.getArgOperand(A);
    if (!mayHoldPointer(Argument->getType()) || (Call.onlyReadsMemory(A) && Call.doesNotCapture(A)))
      continue;
    bool Typed =
        Types && A + 1 < Types->getTypeArray().size() && Types->getTypeArray().size() == Call.arg_size() + 1;
    giveAway(of(I, Argument), Typed ? clang_ir::pointee(Types->getTypeArray()[A + 1]) : nullptr);
    if (Writer && !Call.onlyReadsMemory(A))
      handOver(*Writer, of(I, Argument));
    if (Direct && declarerOf(*Direct) == Declarer::Standard)
      callBackFrom(virtualOf(keptBehind(*this, of(I, Argument), 1)));
  }
  if (All.size() == 1 && mayLink(*All[0]))
    link(I, Call);
  if (any_of(All, [](const Function *F) { return asksByName(*F); }))
    giveNames(I);
}

/// Who writes to what a function is given whose body is not here. Nobody: what set-up code calls of the
/// program's own is remarked, or the topology says that it is over. A library that set-up code calls may go
/// on with it.
std::optional<InstanceId> PointsTo::writerIn(InstanceId I, const Function *Callee) const {
  if (!Instances[I]->Setup)
    return I;
  const Declarer By = Callee ? declarerOf(*Callee) : Declarer::Library;
  if (By == Declarer::Program || (Callee && IsListed && IsListed(*Callee)))
    return std::nullopt;
  return By == Declarer::Library || (Callee && mayCarryOrder(*Callee)) ? Libraries : I;
}

void PointsTo::enter(Function &Callee, InstanceId I, const CallBase &Call) {
  InstanceId Body = residual(Callee);
  for (unsigned A = 0; A < Call.arg_size() && A < Callee.arg_size(); ++A)
    if (mayHoldPointer(Call.getArgOperand(A)->getType()))
      grow(Given[{Body, A}], of(I, Call.getArgOperand(A)));
  if (Call.arg_size() > Callee.arg_size())
    for (unsigned A = Callee.arg_size(); A < Call.arg_size(); ++A)
      giveAway(of(I, Call.getArgOperand(A))); // read back by va_arg
}

/// What a library or the kernel fills in is no pointer into the program, unless somebody sent one.
void PointsTo::writeGiven(InstanceId I, const CallBase &Call, const ApiRow &Row) {
  const std::optional<Origin::Kind> Made = handedOut(Row);
  for (unsigned A = 0; A < Call.arg_size(); ++A) {
    const WrittenPart Part = writtenPart(Call, A, Row);
    const bool Filled = Made && static_cast<int>(A) == Row.Writes;
    for (const Pointer &P : Part.Size != 0 ? of(I, Call.getArgOperand(A)) : PointerSet())
      if (P.Base->named() && Filled) {
        write(P, 8, I, {Pointer{allocation(I, Call, *Made)}});
        if (Row.Bytes > 8)
          write(moved(P, 8), Row.Bytes - 8, I, {Pointer{Number}});
      } else if (P.Base->named()) {
        const bool Text = isOfStream(Row) && isTextStream(P.Base->Name.Type);
        const Pointer Kept{Text ? allocation(I, Call, Origin::Kind::Heap) : Number};
        write(moved(P, Part.Begin), Part.Size, I, {Kept});
      }
    if (FurtherUse Further = furtherUse(Call, A, Row); Further.Writes)
      for (const Pointer &P : keptBehind(*this, of(I, Call.getArgOperand(A)), Further.Steps, Further.First))
        if (P.Base->named())
          write(P, Unbounded, I, {Pointer{Number}});
  }
}

void PointsTo::applyRow(InstanceId I, const CallBase &Call, const ApiRow &Row) {
  switch (Row.What) {
  case Api::SpawnPthread:
  case Api::SpawnStd:
    writeGiven(I, Call, Row);
    return startThreads(I, Call);
  case Api::RegMr: {
    PointerSet Buffer = of(I, Call.getArgOperand(1));
    for (const Pointer &P : Buffer)
      if (P.Base->named() && Registered.insert(P.Base).second)
        AskedOutside.wake(Due);
    for (const Pointer &Mr : ofCall(I, Call))
      write({Mr.Base, layout::MrAddr, layout::MrAddr, layout::MrAddr, {}}, 8, I, Buffer);
    break;
  }
  case Api::PostSend:
  case Api::PostRecv:
    return post(I, Call);
  case Api::CmPost:
  case Api::CmPostRecv:
    write({workIds(), 0, 0, 0, {}}, 8, I, of(I, Call.getArgOperand(1)));
    deliverCm(I, Call, Row);
    break;
  case Api::OtherPost:
    if (Row.Name == "ibv_post_srq_recv" || Row.Name == "ibv_post_wq_recv")
      post(I, Call);
    else
      postedUnseen(I);
    break;
  case Api::Keeps: // for any later call; but a thread's own pointers are only handed out again
    return giveArguments(I, Call, Row.Name == "pthread_setspecific" ? I : Libraries);
  case Api::Scattered: // where a list leads that is filled
    if (Row.Name.find("readv") != Row.Name.npos || Row.Name.starts_with("recv"))
      giveArguments(I, Call, I);
    break;
  case Api::StartsCode: // it reads into a buffer when the call has long returned
    if (clang_ir::goesOn(Row))
      giveArguments(I, Call, Libraries);
    break;
  case Api::WrCall:
    deliverBuilt(I, Call, Row);
    return build(I, Call);
  case Api::CreateCq:
    keepChannel(I, Call);
    break;
  case Api::Event:
    if (Row.Name == "ibv_get_cq_event")
      return takeEvent(I, Call);
    break;
  case Api::StartPoll:
    return completedIn(I, Call.getArgOperand(0));
  case Api::PollCq:
    return completed(I, Call.getArgOperand(2));
  case Api::CmPoll:
  case Api::CmPollRecv:
    return completed(I, Call.getArgOperand(1));
  default:
    break;
  }
  keepThrown(I, Call, Row);
  if (readsOptions(Row)) {
    const Module &M = *Instances[I]->F.getParent();
    constexpr unsigned Words = 1, Options = 3;
    if (const GlobalVariable *Word = M.getNamedGlobal("optarg"))
      for (const Pointer &P : of(I, Word))
        write(P, 8, I, wordsOf(*this, of(I, Call.getArgOperand(Words))));
    if (Call.arg_size() > Options)
      giveAway(keptBehind(*this, of(I, Call.getArgOperand(Options)), 1));
  }
  writeGiven(I, Call, Row);
  keepContext(I, Call, Row); // of what has just been handed out
  // A function that is handed over may be called, also where it is a member of what describes a handler.
  const bool Describes = Row.Name == "sigaction" || Row.What == Api::StartsCode;
  for (const Use &Argument : Call.args())
    if (Argument->getType()->isPointerTy()) {
      callBackFrom(of(I, Argument));
      if (Describes)
        callBackFrom(keptBehind(*this, of(I, Argument), 1));
    }
}

PointerSet PointsTo::ofCall(InstanceId I, const CallBase &Call) {
  bool Whole = true;
  PointerSet All;
  for (Function *Callee : callees(I, Call, Whole)) {
    if (Entries.count(Callee)) {
      addAll(All, Call.getType()->isPointerTy() ? unknown() : PointerSet{Pointer{Number}});
      continue;
    }
    if (!Callee->isDeclaration()) {
      InstanceId Body = residual(*Callee);
      for (const BasicBlock &Block : *Callee)
        if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator()); Return && Return->getReturnValue())
          addAll(All, of(Body, Return->getReturnValue()));
      continue;
    }
    const ApiRow *Row = apiOf(*Callee);
    if (std::optional<NodeLinks> Links = nodeLinks(*Callee))
      addAll(All, Call.getType()->isPointerTy() ? nodesOf(I, Call, *Links) : PointerSet{Pointer{Number}});
    else if (Callee->isIntrinsic() && Callee->getIntrinsicID() == Intrinsic::threadlocal_address)
      addAll(All, of(I, Call.getArgOperand(0)));
    else if (Callee->isIntrinsic() && !Call.getType()->isPtrOrPtrVectorTy())
      addAll(All, {Pointer{Number}});
    else if (Callee->isIntrinsic() && handsThrough(*Callee))
      addAll(All, ofAll(I, Call));
    else if (!Row)
      addAll(All, ofUnknownCall(I, Call));
    else if (Row->What == Api::Same)
      addAll(All, of(I, Call.getArgOperand(0)));
    else if (Row->Into >= 0)
      for (Pointer P : of(I, Call.getArgOperand(Row->Into))) {
        if (!isOfStream(*Row)) // which is what it returns
          P.blur();
        addAll(All, {P});
      }
    else if (Row->What == Api::Map)
      addAll(All, mapped(I, Call));
    else if (Row->What == Api::Allocate)
      addAll(All, {Pointer{allocation(I, Call, Origin::Kind::Heap)}});
    else if (Call.getType()->isPointerTy() &&
             (Row->What == Api::Receives || Row->What == Api::ReceivesFile || Row->What == Api::SendsFile))
      addAll(All, {Pointer{allocation(I, Call, Origin::Kind::Foreign)}});
    else if (Row->What == Api::Foreign || Row->What == Api::RegMr || Row->What == Api::CmReg ||
             Row->What == Api::CreateQp || Row->What == Api::CreateCq) {
      addAll(All, caught(I, *Row)), addAll(All, {Pointer{allocation(I, Call, Origin::Kind::Foreign)}});
      if (Row->Name == "getenv")
        addAll(All, inEnvironment(*this, I));
    } else if (!Call.getType()->isPointerTy())
      addAll(All, {Pointer{Number}});
    else {
      if (Row->What == Api::Frees) // realloc: where it was, or elsewhere
        addAll(All, of(I, Call.getArgOperand(0)));
      addAll(All, ofUnknownCall(I, Call));
    }
  }
  if (!Whole || (Call.isInlineAsm() && Call.getType()->isPtrOrPtrVectorTy()))
    addAll(All, Call.getType()->isPtrOrPtrVectorTy() ? unknown() : PointerSet{Pointer{Number}});
  return All;
}

/// Memory of its own; with MAP_FIXED what is there already; a file that is shared is also what other mappings
/// of it are.
PointerSet PointsTo::mapped(InstanceId I, const CallBase &Call) {
  enum : std::uint64_t { Private = 2, Anonymous = 0x20 };
  auto *Flags = dyn_cast<ConstantInt>(Call.getArgOperand(3));
  std::uint64_t Set = Flags ? Flags->getZExtValue() : 0;
  PointerSet All;
  if (mayMapOver(Call))
    addAll(All, of(I, Call.getArgOperand(0)));
  if (Set & (Private | Anonymous)) {
    addAll(All, {Pointer{allocation(I, Call, Origin::Kind::Heap)}});
    return All;
  }
  Origin O{Origin::Kind::Heap, nullptr, MappedFile, {"a mapped file"}, true, true};
  const Origin *File = origin(std::move(O));
  if (Registered.insert(File).second)
    AskedOutside.wake(Due);
  addAll(All, {Pointer{File}});
  return All;
}

/// Memory of its own, or what it was given, or whatever code outside knows.
PointerSet PointsTo::ofUnknownCall(InstanceId I, const CallBase &Call) {
  if (!Call.getType()->isPtrOrPtrVectorTy())
    return {Pointer{Number}};
  if (Call.returnDoesNotAlias())
    return {Pointer{allocation(I, Call, Origin::Kind::Heap)}};
  PointerSet All = unknown();
  if (mayOwnResult(Call))
    addAll(All, {Pointer{allocation(I, Call, Origin::Kind::Foreign)}});
  return All;
}

const Origin *PointsTo::allocation(InstanceId I, const CallBase &Call, Origin::Kind What) {
  Instance &In = *Instances[I];
  Origin O{What, &Call, keyOf(In, &Call, "allocation"), {}, true};
  O.Many = In.Facts.Loops.getLoopFor(Call.getParent()) || !In.Thread;
  Origin *Made = origin(std::move(O));
  if (Made->Name.Path.empty()) {
    nameAllocation(I, Call, *Made);
    if (!Made->Name.Path.empty())
      renamed(Made);
  }
  return Made;
}

/// After the place that it is stored to, or its variable.
void PointsTo::nameAllocation(InstanceId I, const CallBase &Call, Origin &O) {
  bool Awaited = false;
  std::vector<const Value *> Slots;
  for (const User *U : Call.users())
    if (auto *Store = dyn_cast<StoreInst>(U); Store && Store->getValueOperand() == &Call)
      Slots.push_back(Store->getPointerOperand());
  const Function *Callee = calledFunction(Call);
  if (const ApiRow *Row = Callee ? apiOf(*Callee) : nullptr; Row && handedOut(*Row))
    Slots.push_back(Call.getArgOperand(Row->Writes));
  auto Variable = variableOf(&Call);
  for (const Value *Slot : Slots) {
    PointerSet Places = of(I, Slot);
    Awaited |= Places.empty(); // not computed yet
    if (Places.size() != 1 || !Places[0].Base->named() || Places[0].Base->Name.Path.empty())
      continue;
    Named Place = pathIn(*Places[0].Base, Places[0], 8);
    const DIType *Type = clang_ir::pointee(Place.Type);
    O.Name = {Place.Path, Type || !Variable ? Type : clang_ir::pointee(Variable->Type)};
    O.Holder = Places[0].Base, O.HolderOffset = Places[0].Zeroed;
    return;
  }
  if (Awaited) { // its type is needed at once: what is taken for widely pointed to stays so
    if (Variable && !O.Name.Type)
      O.Name.Type = clang_ir::pointee(Variable->Type);
    return;
  }
  if (Variable)
    O.Name = {Variable->Path, clang_ir::pointee(Variable->Type)};
  else
    O.Name.Path =
        "allocation at line " + std::to_string(Call.getDebugLoc() ? Call.getDebugLoc().getLine() : 0);
}

} // namespace rdma::clang_ir
