#include "analyzer/clang/prepare/StoredNumbers.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/LibraryNames.h"
#include "analyzer/clang/frontend/Programs.h"
#include "analyzer/clang/prepare/BeforeMain.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/GlobalAlias.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

#include <algorithm>
#include <optional>
#include <set>
#include <tuple>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

constexpr std::size_t MostUses = 2'000, MostNumbers = 8;

/// Something that the module writes into the variable.
struct Piece {
  std::int64_t Low, Size; ///< or Unbounded
  std::optional<std::uint64_t> Number = {};
  bool Certain = false; ///< before anything but constructors runs
};

bool meets(const Piece &P, std::int64_t Low, std::int64_t Size) {
  return P.Low < Low + Size && (P.Size == Unbounded || Low < P.Low + P.Size);
}

/// A number read from a stream, `in >> number`: nothing but the number is written, and its address not kept.
std::optional<std::int64_t> readFromStream(const Function &F) {
  StringRef Name = F.getName();
  if (!Name.consume_front("_ZNSirsER") || Name.size() != 1)
    return std::nullopt;
  switch (Name[0]) {
  case 'b':
    return 1;
  case 's':
  case 't':
    return 2;
  case 'i':
  case 'j':
  case 'f':
    return 4;
  case 'l':
  case 'm':
  case 'x':
  case 'y':
  case 'd':
    return 8;
  default:
    return std::nullopt;
  }
}

/// Everything that is done with one variable, through every pointer to it that can be followed.
class Uses {
public:
  Uses(const GlobalVariable &Global, const BeforeMain &Early)
      : Global(Global), Layout(Global.getParent()->getDataLayout()), Early(Early) {
    Followed = follow({&Global, 0, false});
    while (Followed && !Work.empty()) {
      Address Next = Work.back();
      Work.pop_back();
      Followed = Seen.size() < MostUses && all_of(Next.V->uses(), [&](const Use &U) { return use(U, Next); });
    }
  }

  /// Gives every load its numbers, if all uses could be followed.
  void note() const {
    if (Followed)
      for (const auto &[Load, At] : Loads)
        if (std::vector<std::uint64_t> All = numbers(*Load, At); !All.empty())
          say(*Load, All);
  }

private:
  struct Address {
    const Value *V;
    std::optional<std::int64_t> At; ///< none: somewhere in the variable
    bool Certain; ///< of arguments and what is computed of them: constructors call with this
    auto key() const { return std::tuple(V, At.has_value(), At.value_or(0), Certain); }
  };

  bool follow(const Address &Next) {
    if (Seen.insert(Next.key()).second)
      Work.push_back(Next);
    return true;
  }

  /// Do constructors run the function with this address in its place?
  bool early(const User &By, const Address &From) const {
    auto *I = dyn_cast<Instruction>(&By);
    return From.Certain || (I && isa<Constant>(From.V) && Early.isCertain(*I->getFunction()));
  }

  /// Does what is done with the address here happen before anything but constructors runs?
  bool certain(const Instruction &I, const Address &From) const { return early(I, From) && alwaysDone(I); }

  bool write(const Address &To, std::int64_t Size, std::optional<std::uint64_t> Number = {},
             bool Certain = false) {
    if (To.At)
      Pieces.push_back({*To.At, Size, Number, Certain});
    return To.At.has_value();
  }

  /// False: what becomes of the address is not known.
  bool use(const Use &U, const Address &From) {
    const User *By = U.getUser();
    if (auto *Gep = dyn_cast<GEPOperator>(By))
      return U.getOperandNo() == 0 && ofGep(*Gep, From);
    if (isa<BitCastOperator, ConstantExpr>(By))
      return isa<BitCastOperator>(By) && follow({By, From.At, early(*By, From)});
    if (isa<PHINode, SelectInst>(By))
      return follow({By, From.At, false});
    if (isa<ICmpInst>(By))
      return true;
    if (auto *Load = dyn_cast<LoadInst>(By)) {
      if (From.At)
        Loads.insert({const_cast<LoadInst *>(Load), *From.At});
      return true;
    }
    if (auto *Store = dyn_cast<StoreInst>(By))
      return U.getOperandNo() == StoreInst::getPointerOperandIndex() ? ofStore(*Store, From)
                                                                     : kept(*Store, From);
    if (isa<AtomicRMWInst, AtomicCmpXchgInst>(By))
      return U.getOperandNo() == 0 && write(From, Layout.getTypeStoreSize(By->getOperand(1)->getType()));
    auto *Call = dyn_cast<CallBase>(By);
    return Call && Call->isArgOperand(&U) && ofCall(*Call, Call->getArgOperandNo(&U), From);
  }

  bool ofGep(const GEPOperator &Gep, const Address &From) {
    APInt Ahead(64, 0);
    const bool Known = From.At && Gep.accumulateConstantOffset(Layout, Ahead);
    return follow(
        {&Gep, Known ? std::optional(*From.At + Ahead.getSExtValue()) : std::nullopt, early(Gep, From)});
  }

  bool ofStore(const StoreInst &Store, const Address &To) {
    const Value *Stored = Store.getValueOperand();
    auto *Number = dyn_cast<ConstantInt>(Stored);
    const bool Known = Number && Number->getBitWidth() <= 64;
    return write(To, Layout.getTypeStoreSize(Stored->getType()),
                 Known ? std::optional(Number->getZExtValue()) : std::nullopt, certain(Store, To));
  }

  /// In a variable that will be a register.
  bool kept(const StoreInst &Store, const Address &From) {
    auto *Slot = dyn_cast<AllocaInst>(Store.getPointerOperand());
    if (!Slot || !isAllocaPromotable(Slot))
      return false;
    const bool Only = count_if(Slot->users(), [](const User *U) { return isa<StoreInst>(U); }) == 1;
    const bool Certain = Only && early(Store, From);
    return all_of(Slot->users(),
                  [&](const User *U) { return !isa<LoadInst>(U) || follow({U, From.At, Certain}); });
  }

  bool ofCall(const CallBase &Call, unsigned Argument, const Address &From) {
    if (auto *Known = dyn_cast<IntrinsicInst>(&Call))
      return ofIntrinsic(*Known, Argument, From);
    auto *Callee = dyn_cast<Function>(Call.getCalledOperand());
    if (!Callee || Callee->getFunctionType() != Call.getFunctionType() || Argument >= Callee->arg_size() ||
        Callee->isInterposable())
      return Callee && Callee->isDeclaration() && ofLibrary(Call, *Callee, Argument, From);
    if (!Callee->isDeclaration())
      return follow({Callee->getArg(Argument), From.At, certain(Call, From)});
    return ofLibrary(Call, *Callee, Argument, From);
  }

  bool ofLibrary(const CallBase &Call, const Function &Callee, unsigned Argument, const Address &From) {
    constexpr unsigned Into = 1; // behind the stream
    if (std::optional<std::int64_t> Size = readFromStream(Callee))
      return Argument == Into && write(From, *Size);
    const ApiRow *Row = rowOf(Callee);
    const bool Forgets =
        Row && Row->Into == -1 &&
        (Row->What == Api::Memory || Row->What == Api::SendsFile || Row->What == Api::ReceivesFile) &&
        furtherUse(Call, Argument, *Row).Steps == 0;
    if (!Forgets)
      return false;
    const ArgumentUse Does = useOf(Call, Argument, *Row);
    return !Does.Writes || write(From, Does.Size);
  }

  bool ofIntrinsic(const IntrinsicInst &Call, unsigned Argument, const Address &From) {
    if (Call.isAssumeLikeIntrinsic() || isa<LifetimeIntrinsic>(Call))
      return Call.getType()->isVoidTy();
    auto *Move = dyn_cast<AnyMemIntrinsic>(&Call);
    if (!Move || Argument > 1)
      return false;
    if (Argument == 1) // copied from there
      return true;
    auto *Length = dyn_cast<ConstantInt>(Move->getLength());
    return write(From, Length ? static_cast<std::int64_t>(Length->getZExtValue()) : Unbounded);
  }

  /// None: not known, or too many.
  std::vector<std::uint64_t> numbers(const LoadInst &Load, std::int64_t At) const {
    const std::int64_t Size = Layout.getTypeStoreSize(Load.getType());
    if (!Load.getType()->isIntegerTy() || Load.isVolatile() ||
        Load.getType()->getIntegerBitWidth() != 8 * Size || Size > 8)
      return {};
    std::set<std::uint64_t> All;
    bool Stored = false, Replaced = false;
    for (const Piece &P : Pieces) {
      if (!meets(P, At, Size))
        continue;
      Stored = true;
      if (P.Low != At || P.Size != Size || !P.Number)
        return {};
      All.insert(*P.Number);
      Replaced |= P.Certain;
    }
    if (!Replaced || Early.mayRun(*Load.getFunction())) {
      auto *Initial = dyn_cast_or_null<ConstantInt>(ConstantFoldLoadFromConst(
          const_cast<Constant *>(Global.getInitializer()), Load.getType(), APInt(64, At), Layout));
      if (!Initial)
        return {};
      // An address that nobody has set is not meant to be 0: that part of the set-up is left out.
      if (!Stored && Initial->isZero() && Size == 8)
        return {};
      All.insert(Initial->getZExtValue());
    }
    return All.size() > MostNumbers ? std::vector<std::uint64_t>() : std::vector(All.begin(), All.end());
  }

  static void say(LoadInst &Load, const std::vector<std::uint64_t> &All) {
    Type *T = Load.getType();
    const unsigned Bits = T->getIntegerBitWidth();
    if (All.size() == 1 && !Load.isAtomic())
      Load.replaceAllUsesWith(ConstantInt::get(T, All[0]));
    std::vector<APInt> Sorted;
    for (std::uint64_t Number : All)
      Sorted.push_back(APInt(64, Number).trunc(Bits));
    sort(Sorted, [](const APInt &A, const APInt &B) { return A.slt(B); });
    std::vector<Metadata *> Ends;
    auto add = [&](const APInt &End) { Ends.push_back(ConstantAsMetadata::get(ConstantInt::get(T, End))); };
    for (std::size_t I = 0; I < Sorted.size(); ++I) {
      if (I == 0 || Sorted[I - 1] + 1 != Sorted[I])
        add(Sorted[I]);
      if (I + 1 == Sorted.size() || Sorted[I] + 1 != Sorted[I + 1])
        add(Sorted[I] + 1);
    }
    const bool Whole = Bits < 64 && All.size() == std::uint64_t(1) << Bits;
    if (!Whole)
      Load.setMetadata(LLVMContext::MD_range, MDNode::get(Load.getContext(), Ends));
  }

  const GlobalVariable &Global;
  const DataLayout &Layout;
  const BeforeMain &Early;
  std::vector<Address> Work;
  std::set<std::tuple<const Value *, bool, std::int64_t, bool>> Seen;
  std::vector<Piece> Pieces;
  std::set<std::pair<LoadInst *, std::int64_t>> Loads;
  bool Followed = true;
};

/// May it be reached from what the linker puts around its section, or around all variables?
bool isBetweenBounds(const GlobalVariable &Global) {
  return any_of(Global.getParent()->globals(), [&](const GlobalVariable &Other) {
    return !Other.use_empty() && isMadeByLinker(Other) && (Global.hasSection() || !boundsSection(Other));
  });
}

} // namespace

void noteStoredNumbers(Module &M, function_ref<bool(const GlobalVariable &)> Reached) {
  if (!M.getModuleInlineAsm().empty()) // it may name any of them
    return;
  const BeforeMain Early(M);
  for (const GlobalVariable &Global : M.globals()) {
    const bool Own = Global.hasDefinitiveInitializer() && !Global.isThreadLocal() &&
                     !Global.isExternallyInitialized() && !Global.isConstant() && !Reached(Global) &&
                     !isBetweenBounds(Global);
    if (Own && (Global.hasLocalLinkage() || (hasMain(Global) && leavesNothingOut(M))))
      Uses(Global, Early).note();
  }
}

} // namespace rdma::clang_ir
