// What calls do to memory, apart from work requests.
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Messages.h"
#include "analyzer/clang/memory/TextRoom.h"
#include "analyzer/clang/translate/Translator.h"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

constexpr ApiRow PostThroughTable{"post_send", Api::PostSend}, PollThroughTable{"poll_cq", Api::PollCq},
    ReceiveThroughTable{"post_recv", Api::PostRecv};

} // namespace

/// The row of the called function; verbs called through context->ops are what they stand for.
const ApiRow *Translator::meaning(const CallBase &Call) {
  const Value *Callee = Call.getCalledOperand()->stripPointerCasts();
  if (auto *Direct = dyn_cast<Function>(Callee))
    return rowOf(*Direct);
  auto *Load = dyn_cast<LoadInst>(Callee);
  if (!Load)
    return nullptr;
  StringRef Path = Where.pathOf(Load).Path;
  std::string Held = Where.pathOf(Load).Path;
  Path = Held;
  for (const ApiRow *Row : {&PostThroughTable, &PollThroughTable, &ReceiveThroughTable})
    if (Path.ends_with("ops." + std::string(Row->Name)))
      return Row;
  return nullptr;
}

void Translator::call(const CallBase &Call) {
  if (auto *Known = dyn_cast<IntrinsicInst>(&Call))
    return intrinsic(*Known);
  if (Call.isInlineAsm())
    return inlineAssembly(Call);
  const ApiRow *Row = meaning(Call);
  callbacks(Call, Row);
  if (FileUse Use = fileUse(Call, Row); Use.Reads || Use.Writes)
    for (const Origin *Block : Where.addressTaken())
      if (Block->Key == MappedFile)
        for (OperationKind Kind : {OperationKind::Load, OperationKind::Store})
          if (Kind == OperationKind::Load ? Use.Reads : Use.Writes) {
            Operation Op;
            Op.Kind = Kind;
            Op.Local = {Stock.object(In.Home, *Block)};
            emit(Op, Call);
          }
  if (!Row)
    return unknownFunction(Call);
  notePastOrder(Call, *Row);
  switch (Row->What) {
  case Api::PostSend:
    postSend(Call);
    return reports(Call, 2);
  case Api::PostRecv:
    postReceive(Call);
    return reports(Call, 2);
  case Api::CmPost:
    return postCm(Call);
  case Api::CmPostRecv:
    return postReceive(Call);
  case Api::WaitQp: // ends when its own request has, whether or not another thread has posted any
    return waitQp(Call, false);
  case Api::FlushQp:
    return waitQp(Call, true);
  case Api::PollCq:
    reports(Call, 2);
    look(Call);
    hearOfCompletions(Call, {poll(Call), false});
    return markPoll(Call); // what is known of it counts on the edges behind it
  case Api::CmPoll:
  case Api::CmPollRecv:
    reports(Call, 1);
    look(Call);
    hearOfCompletions(Call, {poll(Call), false});
    return markPoll(Call);
  case Api::StartPoll:
    effects(Call, *Row); // reads its attributes
    look(Call);
    hearOfCompletions(Call, {poll(Call), false});
    return markPoll(Call);
  case Api::WrStart:
  case Api::WrAbort:
    return; // counts where it is completed
  case Api::WrCall:
    return build(Call);
  case Api::WrComplete:
    return postBuilt(Call);
  case Api::OtherPost:
    Stock.Obscure.insert(In.Index);
    return remark(Call, {words::OtherPost, Row->Name}, false);
  case Api::Scattered:
    return remark(Call, {words::Scattered, Row->Name}, false);
  case Api::RegMr:
    registerMemory(Call);
    break;
  case Api::CmReg:
    registerMessages(Call);
    break;
  case Api::Deregister:
    deregister(Call);
    break;
  case Api::SpawnPthread:
    spawnPthread(Call);
    break;
  case Api::SpawnStd:
    spawnStd(Call);
    break;
  case Api::JoinPthread:
  case Api::JoinStd:
    join(Call);
    break;
  case Api::EndThread:
    if (isa<InvokeInst>(Call)) // behind the last destructor
      return;
    endOfFrames(Call);
    destroy(Call, false);
    return say(In.Ended, Call);
  case Api::Ends:
    exitCall(Call);
    break;
  case Api::Sync:
  case Api::SyncStore:
  case Api::SyncThrough:
    return synchronise(Call, *Row);
  case Api::Event:
    hearOfCompletions(Call, {None, true});
    break;
  case Api::Readiness:
    hearOfCompletions(Call, {None, true});
    return message(Call, *Row);
  case Api::Sends:
  case Api::Receives:
  case Api::SendsFile:
  case Api::ReceivesFile:
    return message(Call, *Row);
  case Api::SystemCall:
    return systemCall(Call);
  case Api::Keeps:
    return keeps(Call);
  case Api::StartsCode:
    remark(Call, {words::RunsBeside, Row->Name}, false);
    break;
  case Api::Map:
    if (mayMapOver(Call))
      emit(endOfLife(Call.getArgOperand(0)), Call);
    return;
  case Api::Frees:
    return emit(endOfLife(Call.getArgOperand(0)), Call);
  case Api::Transfers:
    return unknown(Call);
  default:
    break;
  }
  effects(Call, *Row);
}

namespace {

bool isSystemCall(Api What) {
  switch (What) {
  case Api::MemoryFence:
  case Api::Sends:
  case Api::Receives:
  case Api::Readiness:
  case Api::Event:
  case Api::StartsCode:
  case Api::RegMr:
  case Api::CmReg:
  case Api::Deregister:
  case Api::CreateQp:
  case Api::CmCreateQp:
  case Api::CreateCq:
  case Api::SpawnPthread:
  case Api::SpawnStd:
  case Api::JoinPthread:
  case Api::JoinStd:
    return true;
  default:
    return false;
  }
}

} // namespace

/// What was there may be anything from here on: a write to the whole block, whoever makes it.
Ways Translator::endOfLife(const Value *Block) {
  Ways All;
  const PointerSet Places = places(Block);
  const FromMemory From = readFromMemory(Block, Places);
  for (const Pointer &P : Places) {
    if (From.Anyway.contains(P.Base))
      continue;
    Operation Op;
    Op.Kind = Store;
    Op.Local = {Stock.object(In.Home, *P.Base)};
    Op.OneOf = From.numberOf(P.Base);
    All.push_back({Op});
  }
  return All;
}

void Translator::effects(const CallBase &Call, const ApiRow &Row) {
  // A system call orders what is before it and what is after it; its own reads and writes are the kernel's.
  if (isSystemCall(Row.What))
    fence(Call);
  bool Touched = false;
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    Touched |= touchArgument(Call, I, Row, OperationKind::Load);
  for (unsigned I = 0; I < Call.arg_size(); ++I)
    Touched |= touchArgument(Call, I, Row, OperationKind::Store);
  if (isSystemCall(Row.What) && Touched)
    fence(Call);
}

/// Arrays of variable length and what alloca() has made end where the stack is put back to what it was at
/// Since, and at the end of the function (Since null).
void Translator::endOfDynamic(const Instruction &I, const Instruction *Since) {
  bool Saved = isa_and_nonnull<IntrinsicInst>(Since);
  for (const Instruction &Made : instructions(In.F)) {
    auto *Block = dyn_cast<AllocaInst>(&Made);
    if (Block && !Block->isStaticAlloca() && (!Saved || Tree.dominates(Since, Block)))
      emit(endOfLife(Block), I);
  }
}

/// The thread ends here, in whatever function it is: all its variables do.
void Translator::endOfFrames(const Instruction &I) {
  for (const Instruction &Made : instructions(In.F))
    if (isa<AllocaInst>(Made) && PointerMayBeCaptured(&Made, false, true))
      emit(endOfLife(&Made), I);
}

namespace {

bool isMemory(const Pointer &P) {
  return P.Base->named() ? P.Base->What != Origin::Kind::Foreign : P.Base->What == Origin::Kind::Unknown;
}

} // namespace

/// A call may write less than it is told to, or than there is room for. What is no larger than a word would
/// be taken for written as a whole (core/StoreToLoad.h).
Ways Translator::atMost(Ways All) {
  constexpr std::int64_t Word = 8;
  for (Way &W : All)
    for (Operation &Op : W)
      if (Op.Kind == Store && !Op.Local.whole() && Op.Local.End - Op.Local.Begin <= Word)
        Op.Local.Somewhere = true;
  return All;
}

/// Reads, or writes, what the argument leads to, where the call does.
bool Translator::touchArgument(const CallBase &Call, unsigned Argument, const ApiRow &Row,
                               OperationKind Kind) {
  ArgumentUse Use = useOf(Call, Argument, Row);
  bool Touches = Kind == OperationKind::Load ? Use.Reads : Use.Writes;
  if (Touches && Use.Size == Unbounded) {
    touchFrom(Kind, Call, Argument);
  } else if (Touches) {
    Ways All = each(Kind, Call.getArgOperand(Argument), Use.Size);
    emit(Row.Bytes ? std::move(All) : atMost(std::move(All)), Call);
  }
  FurtherUse Further = furtherUse(Call, Argument, Row);
  if (!Further.Steps || (Kind == OperationKind::Store && !Further.Writes))
    return Touches;
  for (const Pointer &P : Where.behind(Where.resolve(Call.getArgOperand(Argument)), Further))
    if (isMemory(P)) {
      Operation Op;
      Op.Kind = Kind;
      Op.Local = access(P, Unbounded);
      emit(Op, Call);
    }
  return true;
}

/// A post reports the request that it could not take, and a poll its completions, in memory of the program.
/// Variables made for that hold nothing else.
void Translator::reports(const CallBase &Call, unsigned Argument) {
  if (Argument >= Call.arg_size())
    return;
  Ways All;
  for (const Pointer &P : Where.resolve(Call.getArgOperand(Argument))) {
    const DIType *Type = strip(P.Base->Name.Type);
    while (auto *Part = dyn_cast_or_null<DICompositeType>(Type)) {
      if (Part->getTag() != dwarf::DW_TAG_array_type)
        break;
      Type = strip(Part->getBaseType());
    }
    bool Own = P.Base->What == Origin::Kind::Stack && (isLibraryType(Type) || isLibraryType(pointee(Type)));
    if (Own || P.Base->What == Origin::Kind::Foreign)
      continue;
    Operation Op;
    Op.Kind = Store;
    Op.Local = access(P, Unbounded);
    All.push_back({Op});
  }
  if (All.empty())
    return;
  All.push_back({});
  emit(All, Call);
}

void Translator::intrinsic(const IntrinsicInst &Call) {
  if (auto *Move = dyn_cast<AnyMemIntrinsic>(&Call)) {
    auto *Number = dyn_cast<ConstantInt>(Move->getLength());
    std::int64_t Size = Number ? static_cast<std::int64_t>(Number->getZExtValue()) : Unbounded;
    if (Size == 0)
      return;
    std::optional<Expression> Value;
    if (auto *Copy = dyn_cast<AnyMemTransferInst>(Move)) {
      emit(each(Load, Copy->getRawSource(), Size), Call);
    } else if (auto *Byte = dyn_cast<ConstantInt>(cast<AnyMemSetInst>(Move)->getValue());
               Byte && Byte->isZero()) {
      Value = Expression{Term{}};
    }
    noteReplaced(Call, Move->getRawDest(), Size);
    auto most = [&](const Pointer &To) { return mostWritten(*Move, To); };
    Ways Written = each(Store, Move->getRawDest(), most, Value);
    return emit(Number ? std::move(Written) : atMost(std::move(Written)), Call);
  }
  if (Call.getIntrinsicID() == Intrinsic::lifetime_end) {
    endOfHandle(Call);
    // What is posted and polled before it may be known on the edges behind the block only.
    if (Call.getParent()->getTerminator()->getNumSuccessors() > 0 && quietUntilEnd(Call))
      EndOfBlock[Call.getParent()].push_back(&Call);
    else
      emit(endOfLife(Call.getArgOperand(1)), Call);
    return;
  }
  if (Call.getIntrinsicID() == Intrinsic::stackrestore)
    return endOfDynamic(Call, dyn_cast<Instruction>(Call.getArgOperand(0)));
  if (Call.getIntrinsicID() == Intrinsic::x86_sse2_mfence) {
    Operation Op;
    Op.Kind = MemoryFence;
    emit(Op, Call);
  }
}

} // namespace rdma::clang_ir
