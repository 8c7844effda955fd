// Memory that requests may use: how it is registered, and where that ends.
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/translate/Translator.h"

#include <llvm/Analysis/CFG.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/Support/KnownBits.h>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

enum : std::uint64_t { RemoteWrite = 2, RemoteRead = 4, RemoteAtomic = 8, RelaxedOrdering = 1 << 20 };

bool registers(Api What) { return What == Api::RegMr || What == Api::CmReg; }

} // namespace

void Translator::registerMemory(const CallBase &Call) {
  unsigned FlagsAt = Call.getCalledFunction()->getName().contains("iova") ? 4 : 3;
  const Value *Given = Call.getArgOperand(std::min<unsigned>(FlagsAt, Call.arg_size() - 1));
  auto Flags = Memory.constants(Given);
  std::uint64_t Any = 0;
  for (std::uint64_t F : Flags.value_or(std::vector<std::uint64_t>{RemoteWrite}))
    Any |= F;
  if (Any & RelaxedOrdering)
    remark(Call, words::Relaxed, false);
  else if (!Flags &&
           (computeKnownBits(Given, In.F.getParent()->getDataLayout()).getMaxValue().getZExtValue() &
            RelaxedOrdering) != 0)
    remark(Call, words::MaybeRelaxed, false);
  if (FlagsAt == 4)
    registerUnder(Call);
  for (const Access &A : accesses(Call.getArgOperand(1), Unbounded)) {
    if (Any & (RemoteWrite | RemoteRead | RemoteAtomic))
      Stock.exposeRemotely(A.Target);
    else
      Stock.expose(A.Target);
  }
}

/// ibv_reg_mr_iova: requests name the memory by another address, which must not be that of other memory.
void Translator::registerUnder(const CallBase &Call) {
  PointerSet Memory = Where.resolve(Call.getArgOperand(1));
  for (const Pointer &P : Where.resolve(Call.getArgOperand(3))) {
    bool Same = any_of(Memory, [&](const Pointer &Q) { return P.Base == Q.Base; });
    if (!Same && P.Base->What != Origin::Kind::Null && P.Base->What != Origin::Kind::Number)
      return remark(Call, words::OtherAddress, false);
  }
}

void Translator::registerMessages(const CallBase &Call) {
  bool Remote = !Call.getCalledFunction()->getName().ends_with("msgs");
  for (const Access &A : accesses(Call.getArgOperand(1), Unbounded))
    Remote ? Stock.exposeRemotely(A.Target) : Stock.expose(A.Target);
}

/// What is not known may, too.
bool Translator::mayEndQueuePairs(const CallBase &Call) {
  if (isa<IntrinsicInst>(Call) || Call.isInlineAsm())
    return false;
  if (const ApiRow *Row = meaning(Call))
    return clang_ir::mayEndQueuePairs(*Row);
  const Function *Callee = calledFunction(Call);
  return !Callee || declarerOf(*Callee) != Declarer::Standard;
}

/// Does a way lead from a request to the call on which its queue pair may have ended? Which one is not asked.
bool Translator::behindEnd(const CallBase &Call) {
  std::vector<const CallBase *> Posting, Ending;
  for (const Instruction &I : instructions(In.F))
    if (auto *Other = dyn_cast<CallBase>(&I)) {
      const ApiRow *Row = isa<IntrinsicInst>(Other) ? nullptr : meaning(*Other);
      if (Row && posts(Row->What))
        Posting.push_back(Other);
      else if (mayEndQueuePairs(*Other) && isPotentiallyReachable(Other, &Call, nullptr, &Tree, &Loops))
        Ending.push_back(Other);
    }
  return any_of(Ending, [&](const CallBase *End) {
    return any_of(Posting, [&](const CallBase *Post) {
      return isPotentiallyReachable(Post, End, nullptr, &Tree, &Loops);
    });
  });
}

/// How many bytes a call registers; Unbounded: not known.
std::int64_t Translator::registeredBytes(const CallBase &Made) {
  auto *Length = dyn_cast<ConstantInt>(Made.getArgOperand(2));
  return Length ? Length->getSExtValue() : Unbounded;
}

/// Is there one more registration of these bytes in this thread, by which requests may go on?
bool Translator::registeredAgain(const Pointer &Region, const CallBase &Made) {
  auto mayMeet = [&](const Pointer &Other, std::int64_t Size) {
    auto end = [](const Pointer &P, std::int64_t Bytes) {
      return P.High == Unbounded || Bytes == Unbounded ? Unbounded : P.High + Bytes;
    };
    return Other.Base == Region.Base && Other.Low < end(Region, registeredBytes(Made)) &&
           Region.Low < end(Other, Size);
  };
  return any_of(instructions(In.F), [&](const Instruction &I) {
    auto *Call = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Call && Call != &Made && !isa<IntrinsicInst>(Call) ? meaning(*Call) : nullptr;
    return Row && registers(Row->What) &&
           any_of(Where.resolve(Call->getArgOperand(1)),
                  [&](const Pointer &P) { return mayMeet(P, registeredBytes(*Call)); });
  });
}

/// Has the queue pair of every request that leads to the call ended before it, on every way?
bool Translator::allHaveEnded(const CallBase &Call) {
  auto endsOne = [&](const CallBase &End) {
    const ApiRow *Row = isa<IntrinsicInst>(End) ? nullptr : meaning(End);
    return Row && endsQueuePair(*Row) && End.arg_size() && alwaysBefore(End, Call);
  };
  std::vector<const CallBase *> Ends;
  for (const Instruction &I : instructions(In.F))
    if (auto *End = dyn_cast<CallBase>(&I); End && endsOne(*End))
      Ends.push_back(End);
  auto isOf = [&](const CallBase &End, const CallBase &Post) {
    PointerSet Ended = Where.resolve(End.getArgOperand(0)), Used = Where.resolve(Post.getArgOperand(0));
    if (Ended.size() != 1 || Used.size() != 1 || !Ended[0].exact() || Used[0].Base->Many)
      return false;
    return Ended[0].Base == Used[0].Base || Ended[0].Base == Used[0].Base->Holder;
  };
  return !Ends.empty() && all_of(instructions(In.F), [&](const Instruction &I) {
    auto *Post = dyn_cast<CallBase>(&I);
    const ApiRow *Row = Post && !isa<IntrinsicInst>(Post) ? meaning(*Post) : nullptr;
    return !Row || !posts(Row->What) || !isPotentiallyReachable(Post, &Call, nullptr, &Tree, &Loops) ||
           any_of(Ends, [&](const CallBase *End) {
             return isOf(*End, *Post) && !isPotentiallyReachable(End, Post, nullptr, &Tree, &Loops);
           });
  });
}

/// Is the one call made before the other on every way, or on all but those where what it is given is null?
bool Translator::alwaysBefore(const CallBase &First, const CallBase &Then) {
  if (Tree.dominates(&First, &Then))
    return true;
  const BasicBlock *Before = First.getParent()->getSinglePredecessor();
  auto *Branch = Before ? dyn_cast<BranchInst>(Before->getTerminator()) : nullptr;
  auto *Test = Branch && Branch->isConditional() ? dyn_cast<ICmpInst>(Branch->getCondition()) : nullptr;
  return Test && Test->isEquality() && isa<ConstantPointerNull>(Test->getOperand(1)) &&
         Test->getOperand(0) == First.getArgOperand(0) && Tree.dominates(Before, Then.getParent()) &&
         First.getParent() == Branch->getSuccessor(Test->getPredicate() == CmpInst::ICMP_NE ? 0 : 1);
}

/// What may be deregistered; OnlyOne: it is certain which region that is. Again: its memory may be registered
/// twice.
std::vector<Access> Translator::deregistered(const CallBase &Call, bool &OnlyOne, bool &Again) {
  const PointerSet Handles = Where.resolve(Call.getArgOperand(0));
  std::vector<Access> All;
  OnlyOne = Handles.size() == 1;
  auto unknown = [&] { return Access{Stock.anything(In.Home, "the region that is deregistered")}; };
  for (const Pointer &Handle : Handles) {
    if (Handle.Base->What == Origin::Kind::Null)
      continue;
    auto *Made = Handle.Base->named() ? dyn_cast_or_null<CallBase>(Handle.Base->Root) : nullptr;
    const ApiRow *Row = Made ? meaning(*Made) : nullptr;
    if (!Row || !registers(Row->What)) {
      All.push_back(unknown());
      OnlyOne = false;
      continue;
    }
    PointerSet Region = Made->getFunction() == &In.F
                            ? Where.resolve(Made->getArgOperand(1))
                            : Where.whatIsFoundAt(moved(Handle, layout::MrAddr), true);
    std::erase_if(Region, [](const Pointer &P) { return P.Base->What == Origin::Kind::Null; });
    // In a loop it is of this round where it is handed on, not found in memory; so is its memory.
    auto ofThisRound = [&](const Origin &Of, const Value *HandedOn) {
      return !Of.Many || (Of.Root && HandedOn->stripPointerCasts() == Of.Root);
    };
    OnlyOne &= Region.size() == 1 && Region[0].Base->named() &&
               ofThisRound(*Handle.Base, Call.getArgOperand(0)) &&
               ofThisRound(*Region[0].Base, Made->getArgOperand(1));
    for (const Pointer &P : Region)
      Again |= P.Base->named() && registeredAgain(P, *Made);
    for (const Pointer &P : Region)
      All.push_back(P.Base->named() ? access(P, registeredBytes(*Made)) : unknown());
    if (Region.empty())
      All.push_back(unknown());
  }
  return All;
}

/// An access of the region by whoever wants it whole: a request that uses it must be complete. Where it is
/// not certain which region that is, or whether the queue pair of the request has ended, that hangs on a
/// fact.
void Translator::deregister(const CallBase &Call) {
  bool OnlyOne = false, Again = false;
  Ways All;
  for (const Access &Region : deregistered(Call, OnlyOne, Again)) {
    Operation Op;
    Op.Kind = OperationKind::Store;
    Op.Local = Region;
    Op.Deregisters = true;
    All.push_back({Op});
  }
  if (All.empty() || allHaveEnded(Call))
    return;
  const bool MayHaveEnded = behindEnd(Call);
  OnlyOne &= !Again;
  if (OnlyOne && !MayHaveEnded)
    return emit(All, Call);
  const Site At = siteOf(Call.getDebugLoc());
  const unsigned Depth = Loops.getLoopDepth(Call.getParent());
  const StatementId Before = Current;
  Current = mark(Before,
                 Stock.lose({At, OnlyOne ? words::EndedLost : words::RegionLost,
                             OnlyOne ? words::TellEnded : words::TellRegion}),
                 Depth);
  const StatementId First = thread().Statements.size();
  emit(All, Call);
  // A replay tells which bytes that are, and not by which of two regions a request uses them.
  for (StatementId S = First; Again && S < thread().Statements.size(); ++S)
    thread().Statements[S].Source = None;
  // What comes behind does not hang on it.
  const StatementId Behind = statement({}, At, Depth);
  link(Current, Behind);
  link(Before, Behind);
  Current = Behind;
}

} // namespace rdma::clang_ir
