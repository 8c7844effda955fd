#include "analyzer/clang/counts/Touched.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/api/Declared.h"
#include "analyzer/clang/api/Layout.h"
#include "analyzer/clang/api/Messages.h"

#include <llvm/IR/IntrinsicInst.h>

namespace rdma::clang_ir {

using namespace llvm;
using enum OperationKind;

namespace {

/// Of the program's memory.
bool touchesArgumentsOnly(const ApiRow &Row) {
  return Row.What == Api::Memory || Row.What == Api::Sends || Row.What == Api::Receives ||
         Row.What == Api::SendsFile || Row.What == Api::ReceivesFile;
}
unsigned bitsOf(const Value &V) { return V.getType()->getIntegerBitWidth(); }

/// A function of the library touches bytes of the followed request's, as far as its arguments and their
/// lengths tell; none: they do not.
std::optional<z3::expr> meets(const CallBase &Call, const Operation &Op, const PostSite &Post,
                              Inventory &Stock, System &S, Region &R, const State &Now) {
  const ApiRow *Row = rowOf(Call);
  if (!Row || !touchesArgumentsOnly(*Row) || !Post.Buffer || !S.Memory.firm(*Post.Buffer) ||
      (Op.Kind != Load && Op.Kind != Store) || Op.Local.Target != Stock.object(S.T.Home, *Post.Buffer))
    return std::nullopt;
  if (FileUse Use = fileUse(Call, Row); (Use.Reads || Use.Writes) && Post.Buffer->Key == MappedFile)
    return std::nullopt;
  z3::expr Any = S.Context.bool_val(false);
  const z3::expr Begin = Now[S.offset()], End = Begin + Now[S.length()];
  for (unsigned I = 0; I < Call.arg_size(); ++I) {
    const Value *Given = Call.getArgOperand(I);
    if (!Given->getType()->isPointerTy())
      continue;
    if (isa<Function>(Given->stripPointerCasts()) || furtherUse(Call, I, *Row).Steps)
      return std::nullopt;
    const ArgumentUse Use = useOf(Call, I, *Row);
    if (Op.Kind == Load ? !Use.Reads : !Use.Writes)
      continue;
    PointerSet Places = S.T.Where.resolve(Given);
    if (all_of(Places, [&](const Pointer &P) { return P.Base->named() && P.Base != Post.Buffer; }))
      continue;
    const ByteLimit Most = limitOf(Call, I, *Row);
    if (Places.size() != 1 || Places[0].Base != Post.Buffer || (!Most.Length && Most.Size == Unbounded))
      return std::nullopt;
    z3::expr From = R.value(Given),
             Size = Most.Length ? Region::asUnsigned(R.value(Most.Length), bitsOf(*Most.Length))
                                : S.Context.int_val(Most.Size);
    if (Most.Each != 1)
      Size = Size * S.Context.int_val(Most.Each);
    Any = Any || (Begin < From + Size && From < End);
  }
  return Any;
}

struct Bytes {
  z3::expr From, Size;
};

/// Which bytes an instruction touches: from the beginning of the block, and where none is told, of all
/// memory.
std::optional<Bytes> bytes(const Instruction &I, bool Destination, const Origin *Block, System &S, Region &R,
                           const State &Now) {
  const Value *At = nullptr;
  z3::expr Size = S.Context.int_val(0);
  const DataLayout &Layout = S.T.F.getParent()->getDataLayout();
  auto bytesOf = [&](const Type *Type) {
    return static_cast<int>(Layout.getTypeStoreSize(const_cast<llvm::Type *>(Type)));
  };
  if (auto *Load = dyn_cast<LoadInst>(&I))
    At = Load->getPointerOperand(), Size = S.Context.int_val(bytesOf(Load->getType()));
  else if (auto *Store = dyn_cast<StoreInst>(&I))
    At = Store->getPointerOperand(), Size = S.Context.int_val(bytesOf(Store->getValueOperand()->getType()));
  else if (auto *Move = dyn_cast<AnyMemIntrinsic>(&I)) {
    auto *Copy = dyn_cast<AnyMemTransferInst>(Move);
    At = Copy && !Destination ? Copy->getRawSource() : Move->getRawDest();
    Size = R.value(Move->getLength());
  } else if (const PostSite *Post = S.postAt(I); Post && Block && Post->Segment && Post->Buffer == Block) {
    Pointer Place = *Post->Segment, Length = *Post->Segment;
    Length.shift(layout::SgeLength, layout::SgeLength);
    int From = S.Memory.at({Place}, 8), Long = S.Memory.at({Length}, 4);
    if (From >= 0 && Long >= 0)
      return Bytes{Now[S.cell(From)], Now[S.cell(Long)]};
  }
  if (const PostSite *Post = S.postAt(I);
      Post && Post->Address && Post->Length && S.T.Tree.dominates(Post->Address, Post->Call))
    At = Post->Address, Size = S.Context.int_val(*Post->Length);
  std::optional<z3::expr> From = At ? R.place(*At, Block) : std::nullopt;
  return From ? std::optional(Bytes{*From, Size}) : std::nullopt;
}

} // namespace

SmallVector<const Value *, 2> addressesOf(const Instruction &I) {
  if (auto *Move = dyn_cast<AnyMemIntrinsic>(&I))
    return {Move->arg_begin(), Move->arg_begin() + (isa<AnyMemTransferInst>(Move) ? 2 : 1)};
  if (const Value *At = getLoadStorePointerOperand(&I))
    return {At};
  return {};
}

z3::expr touches(const Instruction &I, const Operation &Op, const PostSite &Post, Inventory &Stock, System &S,
                 Region &R, const State &Now) {
  const z3::expr Unknown = S.Context.bool_val(true);
  if (auto *Call = dyn_cast<CallBase>(&I); Call && !isa<IntrinsicInst>(Call) && !S.postAt(I))
    return meets(*Call, Op, Post, Stock, S, R, Now).value_or(Unknown);
  if (Post.Buffer && !S.Memory.firm(*Post.Buffer))
    return Unknown;
  std::optional<Bytes> Used = bytes(I, isCpuWrite(Op.Kind) || isRequest(Op.Kind), Post.Buffer, S, R, Now);
  if (!Used)
    return Unknown;
  z3::expr Begin = Now[S.offset()], End = Begin + Now[S.length()];
  return Begin < Used->From + Used->Size && Used->From < End;
}

} // namespace rdma::clang_ir
