// Calls of a replay: memory, and code that is not there.
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/api/NodeLinks.h"
#include "analyzer/clang/replay/Machine.h"

#include <llvm/ADT/StringSwitch.h>

namespace rdma::clang_ir {

using namespace llvm;

static const std::vector<Request::Bytes> NoBytes;

/// The bytes are used; a request that is out may use them too.
void Machine::touch(const Instruction &I, const Datum &At, std::int64_t Size, bool Writes) {
  if (!At.isAddress() || Size <= 0)
    return;
  Steps += Card.posted().size();
  for (const Request &R : Card.posted())
    for (const Request::Bytes &B : Card.isOut(R) ? R.Uses : NoBytes)
      if ((Writes || R.Writes) && B.Block == At.Block && B.Begin < At.Offset + Size && At.Offset < B.End)
        saw(R.Post, &I);
}

namespace {

/// Locks that nobody holds while the others stand still.
bool isFreeLock(StringRef Name) {
  return (Name.starts_with("pthread_mutex_") || Name.starts_with("pthread_spin_") ||
          Name.starts_with("pthread_rwlock_")) &&
         !Name.contains("wait");
}

bool isSync(Api What) { return What == Api::Sync || What == Api::SyncStore || What == Api::SyncThrough; }

/// Gives a lock back until another thread has changed what it guards.
bool waitsForChange(const ApiRow &Row) { return isSync(Row.What) && Row.Reads >= 0; }

/// Nobody else has to do anything before it returns, and it takes no completions.
bool isAlone(Api What) {
  switch (What) {
  case Api::MemoryFence:
  case Api::Event:
  case Api::Memory:
  case Api::ReceivesFile:
  case Api::SendsFile:
  case Api::Frees:
  case Api::Nothing:
  case Api::Allocate:
  case Api::Map:
  case Api::Foreign:
  case Api::Same:
  case Api::RegMr:
  case Api::CmReg:
  case Api::Deregister:
  case Api::CreateQp:
  case Api::CmCreateQp:
  case Api::CreateCq:
  case Api::SpawnPthread:
  case Api::SpawnStd:
  case Api::WrStart:
  case Api::WrAbort:
  case Api::WrCall:
  case Api::PostRecv:
  case Api::CmPostRecv:
    return true;
  default:
    return false;
  }
}

/// It touches what it is given, and nobody has to do anything for it. A file is taken to be one: what leads
/// to another program is opened in other ways.
bool touchesAlone(Api What) {
  return What == Api::Memory || What == Api::ReceivesFile || What == Api::SendsFile;
}

} // namespace

/// What a call leaves in the object that it was given, which begins there.
void Machine::renewFrom(const Datum &At, std::int64_t Size) {
  if (At.isAddress())
    Memory.fill(At.Block, At.Offset, Size, Heap::Before::Given);
}

/// What a call that is not followed leaves in what it was given.
void Machine::give(const CallBase &Call) {
  for (const Use &U : Call.args())
    if (U->getType()->isPointerTy() && !Call.onlyReadsMemory(U.getOperandNo()) &&
        !Call.doesNotAccessMemory(U.getOperandNo()))
      renewFrom(value(U));
}

/// What a call of a library is sure to touch of what it is given.
void Machine::touchGiven(const CallBase &Call, const ApiRow &Row) {
  for (unsigned A = 0; A < Call.arg_size(); ++A) {
    std::optional<ByteLimit> Least = leastOf(Call, A, Row);
    std::optional<std::int64_t> Size = Least ? std::optional(Least->Size) : std::nullopt;
    if (Least && Least->Length)
      if (Size = number(value(Least->Length)); Size && *Size)
        Size = Least->Each ? *Size * Least->Each : 1;
    if (Size)
      touch(Call, value(Call.getArgOperand(A)), *Size, Row.Writes == static_cast<int>(A));
  }
}

/// What a call of a library may leave in what it is given.
void Machine::fillGiven(const CallBase &Call, const ApiRow &Row) {
  for (unsigned A = 0; A < Call.arg_size(); ++A) {
    if (!useOf(Call, A, Row).Writes)
      continue;
    const ByteLimit Limit = limitOf(Call, A, Row);
    auto Told = Limit.Length ? number(value(Limit.Length)) : std::nullopt;
    renewFrom(value(Call.getArgOperand(A)), Told ? *Told * Limit.Each : std::min(Limit.Size, ToTheEnd));
  }
}

/// Does it ask how large a page is? No number but that makes sense.
static bool asksForPage(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  const StringRef Name = Callee ? Callee->getName() : "";
  constexpr int OfLinux = 30; // _SC_PAGESIZE
  auto *What = Name == "sysconf" ? dyn_cast<ConstantInt>(Call.getArgOperand(0)) : nullptr;
  return Name == "getpagesize" || (What && What->getSExtValue() == OfLinux);
}

/// Is the result computed of the arguments alone, and of what they lead to? Then there is nothing to choose.
static bool isComputed(const CallBase &Call) {
  const Function *Callee = Call.getCalledFunction();
  const StringRef Name = Callee ? Callee->getName() : "";
  const bool Texts = StringSwitch<bool>(Name)
                         .Cases("toupper", "tolower", "isdigit", "isalpha", "isalnum", true)
                         .Cases("isspace", "isupper", "islower", "isxdigit", "ispunct", true)
                         .Cases("sprintf", "snprintf", "vsprintf", "vsnprintf", true)
                         .Cases("strtol", "strtoul", "strtoll", "strtoull", true)
                         .Default(false);
  return Texts || Call.onlyReadsMemory() ||
         any_of(Call.args(), [](const Use &Argument) { return Argument->getType()->isFloatingPointTy(); });
}

/// How much a call says that it has read or written: all, as the buffer is given.
Datum Machine::resultOf(const CallBase &Call) {
  if (auto Found = Chosen.Numbers.find(&Call); Found != Chosen.Numbers.end())
    return Datum::chosen(Found->second);
  if (asksForPage(Call))
    return Datum::chosen(4096);
  std::optional<ResultLimit> Limit = resultLimit(Call);
  std::optional<std::int64_t> Most = Limit ? number(value(Limit->Most)) : std::nullopt;
  return Datum::chosen(Most.value_or(0));
}

/// Where no completion ever comes, every wait with a deadline comes to it: an hour passes until a clock is
/// asked again. Else time stands still.
void Machine::tellTime(const CallBase &Call, StringRef Clock, Datum &Result) {
  constexpr std::uint64_t Hour = 3600, Nano = 1'000'000'000;
  if (Chosen.Patience != Choice::Forever)
    return;
  const Datum Seconds = Datum::number(Hours * Hour);
  const int Told =
      StringSwitch<int>(Clock).Case("clock_gettime", 1).Cases("gettimeofday", "time", 0).Default(-1);
  const Datum At = Told < 0 ? Datum{} : value(Call.getArgOperand(Told));
  if (At.isAddress())
    store(At, Type::getInt64Ty(Call.getContext()), Seconds);
  if (Clock == "time")
    Result = Seconds;
  else if (Clock.starts_with("_ZNSt6chrono3_V2"))
    Result = Datum::number(Seconds.Bits * Nano);
  else if (Told < 0)
    return;
  ++Hours;
}

/// Of devices there is one: with none a program would end.
void Machine::listDevice(const CallBase &Call, const Datum &List) {
  const Type *Pointer = Call.getType();
  store(List, Pointer, Datum::address(Memory.add(Heap::Before::Given)));
  Datum End = List;
  End.Offset += sizeOf(Pointer);
  store(End, Pointer, Datum::number(0));
  if (Datum Count = Call.arg_size() ? value(Call.getArgOperand(0)) : Datum{}; Count.isAddress())
    store(Count, Type::getInt32Ty(Call.getContext()), Datum::number(1));
}

/// The program was given no options: those that it has are for what is seldom.
Datum Machine::noOption() {
  if (const GlobalVariable *Next = T.F.getParent()->getNamedGlobal("optind"))
    store(value(Next), Next->getValueType(), Datum::number(1));
  return Datum::number(0xffffffff);
}

/// A node of a std::list is put before another one, or taken out. The rest of what the library links ends
/// the replay.
bool Machine::linkNodes(const CallBase &Call, StringRef How) {
  const Type *Pointer = Call.getArgOperand(0)->getType();
  const Datum Node = value(Call.getArgOperand(0));
  auto before = [&](Datum Of) { return Of.Offset += sizeOf(Pointer), Of; };
  auto link = [&](const Datum &From, const Datum &To) {
    touch(Call, From, sizeOf(Pointer), true);
    store(From, Pointer, To);
  };
  auto areNodes = [](const Datum &A, const Datum &B) { return A.isAddress() && B.isAddress(); };
  if (How.contains("7_M_hook")) {
    const Datum Next = value(Call.getArgOperand(1));
    const Datum Last = Next.isAddress() ? load(before(Next), Pointer) : Datum{};
    if (!Node.isAddress() || !areNodes(Next, Last))
      return false;
    link(Node, Next), link(before(Node), Last);
    link(Last, Node), link(before(Next), Node);
    return true;
  }
  const bool TakesOut = How.contains("9_M_unhook") && Node.isAddress();
  const Datum Next = TakesOut ? load(Node, Pointer) : Datum{};
  const Datum Last = TakesOut ? load(before(Node), Pointer) : Datum{};
  if (!areNodes(Next, Last))
    return false;
  link(Last, Next), link(before(Next), Last);
  return true;
}

/// Of the queue pair, where the call names it, else of whichever.
void Machine::endPairs(const ApiRow &Row, const Datum &Pair) {
  if (!Row.Name.starts_with("ibv_") || !Row.Name.ends_with("_qp") || !Pair.isAddress())
    Card.forget();
  else if (endsQueuePair(Row))
    Card.end(Pair.Block);
  else
    Card.stop(Pair.Block);
}

bool Machine::outside(const CallBase &Call, const ApiRow *Row) {
  auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  StringRef Name = Callee ? Callee->getName() : "";
  if (const auto Links = Callee ? nodeLinks(*Callee) : std::nullopt; Links && Links->Writes)
    return linkNodes(Call, Name);
  if (Call.doesNotReturn() || (Row && (Row->What == Api::Ends || Row->What == Api::EndThread)))
    return false;
  if (Callee && !Callee->isDeclaration())
    return false; // what it posts and changes is not followed
  if (Row && waitsForChange(*Row))
    return false;
  auto blockAt = [&](unsigned N) {
    return Datum(N < Call.arg_size() ? value(Call.getArgOperand(N)) : Datum{});
  };
  auto lengthAt = [&](int N) { return N < 0 ? std::nullopt : number(blockAt(N)); };
  Datum Result = Call.getType()->isPointerTy()   ? Datum::address(Memory.add(Heap::Before::Given))
                 : Call.getType()->isIntegerTy() ? resultOf(Call)
                                                 : Datum{};
  if (auto *Several = dyn_cast<StructType>(Call.getType())) {
    Result.What = Datum::Kind::Several;
    for (const Type *Part : Several->elements())
      Result.Parts.push_back(Part->isPointerTy() ? Datum::address(Memory.add(Heap::Before::Given))
                                                 : Datum::chosen(0));
  }
  bool Standard = Callee && declarerOf(*Callee) == Declarer::Standard && !mayCarryOrder(*Callee);
  const bool Tries = Row && isSync(Row->What) && Name.contains("try");
  const bool File = Row && (Row->What == Api::ReceivesFile || Row->What == Api::SendsFile);
  if (Row ? (File && FilesWait) || (!isAlone(Row->What) && !isFreeLock(Name) && !Tries) : !Standard)
    Card.forget();
  // Where in it, whether it was free: not known.
  if (isComputed(Call) || (Row && (Row->Into >= 0 || (Tries && !isFreeLock(Name)))))
    Result = Datum{};
  if (Row && Row->What == Api::Allocate)
    Result = Datum::address(Memory.add(Name == "calloc" ? Heap::Before::Zeros : Heap::Before::Nothing));
  else if (Row && Row->What == Api::Map) {
    Result = Datum::address(Memory.add(Heap::Before::Zeros));
    fillGiven(Call, *Row);
  } else if (Row && Row->What == Api::Same)
    Result = blockAt(0);
  else if (Row && Row->What == Api::Frees) {
    if (Datum At = blockAt(0); At.isAddress())
      touch(Call, {Datum::Kind::Address, 0, At.Block, 0}, std::numeric_limits<std::int32_t>::max(), true);
  } else if (Row && touchesAlone(Row->What)) {
    touchGiven(Call, *Row);
    fillGiven(Call, *Row);
  } else if (!Row || Row->What == Api::Foreign || (!isAlone(Row->What) && !isSync(Row->What))) {
    give(Call);
  } else if (Row->Writes >= 0 && !isSync(Row->What)) {
    renewFrom(blockAt(Row->Writes));
  }
  if (Row && (Row->What == Api::CreateQp || Row->What == Api::CmCreateQp)) {
    set(Call, Result);
    created(Call, Row->What);
    return true;
  }
  if (Row &&
      (Row->What == Api::SpawnStd || Row->What == Api::SpawnPthread)) // the thread's name, which is not zero
    store(blockAt(0), Type::getInt64Ty(Call.getContext()), Datum::number(Steps + 1));
  if (Row && Row->What == Api::RegMr && Result.isAddress()) {
    Memory.store(Result.Block, layout::MrAddr, 8, blockAt(1));
    if (auto Length = lengthAt(2); Length && blockAt(1).isAddress())
      Regions[Result.Block] = {blockAt(1), *Length};
  }
  if (Row && Row->What == Api::Deregister)
    if (auto Ends = Regions.extract(blockAt(0).isAddress() ? blockAt(0).Block : None))
      touch(Call, Ends.mapped().first, Ends.mapped().second, true);
  if (Row && mayEndQueuePairs(*Row))
    endPairs(*Row, blockAt(0));
  if (Row && readsOptions(*Row))
    Result = noOption();
  if (Row && Row->Name.ends_with("ibv_get_device_list"))
    listDevice(Call, Result);
  tellTime(Call, Name, Result);
  set(Call, Result);
  return true;
}

bool Machine::intrinsic(const IntrinsicInst &Call) {
  if (auto *Move = dyn_cast<AnyMemIntrinsic>(&Call)) {
    Datum To = value(Move->getRawDest());
    auto Size = number(value(Move->getLength()));
    if (!To.isAddress() || !Size || *Size < 0)
      return false;
    if (auto *Copy = dyn_cast<AnyMemTransferInst>(Move)) {
      Datum Source = value(Copy->getRawSource());
      touch(Call, Source, *Size, false);
      touch(Call, To, *Size, true);
      if (Source.isAddress())
        Memory.copy(To.Block, To.Offset, Source.Block, Source.Offset, *Size);
      else
        Memory.fill(To.Block, To.Offset, *Size, Heap::Before::Nothing);
      return true;
    }
    touch(Call, To, *Size, true);
    Datum Byte = value(cast<AnyMemSetInst>(Move)->getValue());
    Memory.fill(To.Block, To.Offset, *Size,
                Byte.isNumber() && !Byte.Bits ? Heap::Before::Zeros : Heap::Before::Nothing);
    return true;
  }
  auto at = [&](unsigned N) { return value(Call.getArgOperand(N)); };
  unsigned Width = Call.getType()->isIntegerTy() ? Call.getType()->getIntegerBitWidth() : 0;
  auto pick = [&](bool Signed, bool Greater) {
    Datum A = at(0), B = at(1);
    if (!A.isNumber() || !B.isNumber() || Width > 64)
      return Datum{};
    APInt X(Width, A.Bits), Y(Width, B.Bits);
    bool First = Signed ? X.sgt(Y) : X.ugt(Y);
    return First == Greater ? A : B;
  };
  switch (Call.getIntrinsicID()) {
  case Intrinsic::lifetime_start:
    if (Datum Block = at(1); Block.isAddress())
      Memory.renew(Block.Block, Heap::Before::Nothing);
    return true;
  case Intrinsic::lifetime_end:
    if (Datum Block = at(1); Block.isAddress())
      touch(Call, {Datum::Kind::Address, 0, Block.Block, 0}, std::numeric_limits<std::int32_t>::max(), true);
    return true;
  case Intrinsic::umin:
    return set(Call, pick(false, false)), true;
  case Intrinsic::umax:
    return set(Call, pick(false, true)), true;
  case Intrinsic::smin:
    return set(Call, pick(true, false)), true;
  case Intrinsic::smax:
    return set(Call, pick(true, true)), true;
  case Intrinsic::bswap:
    if (Datum A = at(0); A.isNumber() && Width <= 64)
      set(Call, Datum::number(APInt(Width, A.Bits).byteSwap().getZExtValue()));
    return true;
  case Intrinsic::expect:
    return set(Call, at(0)), true;
  default:
    return true; // its result is not known
  }
}

bool Machine::call(const CallBase &Call) {
  if (auto *Known = dyn_cast<IntrinsicInst>(&Call))
    return intrinsic(*Known);
  if (Call.isInlineAsm()) {
    Card.forget();
    give(Call);
    return true;
  }
  auto *Callee = dyn_cast<Function>(Call.getCalledOperand()->stripPointerCasts());
  const ApiRow *Row = Callee ? rowOf(*Callee) : nullptr;
  if (Posts.count(&Call) && (!Row || posts(Row->What))) {
    set(Call, Datum::number(0));
    if (!Row || Row->What == Api::PostSend || Row->What == Api::PostRecv)
      postList(Call, Row && Row->What == Api::PostRecv);
    else if (Row->What == Api::CmPost)
      postOne(Call, *Row);
    else if (Row->What != Api::CmPostRecv)
      unknownRequest(Call);
    return true;
  }
  if (auto Found = Polls.find(&Call); Found != Polls.end() || (Row && Row->What == Api::StartPoll)) {
    static const PollSite Nowhere;
    poll(Call, Found == Polls.end() ? Nowhere : *Found->second, Row ? Row->What : Api::PollCq);
    return true;
  }
  if (Row && (Row->What == Api::WaitQp || Row->What == Api::FlushQp)) {
    set(Call, Datum::number(0));
    await(Call);
    return true;
  }
  return outside(Call, Row);
}

} // namespace rdma::clang_ir
