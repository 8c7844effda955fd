#include "analyzer/clang/memory/Pointers.h"
#include "analyzer/clang/api/ArgumentUse.h"
#include "analyzer/clang/memory/FunctionFacts.h"
#include "analyzer/clang/memory/MemoryReader.h"

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

Pointers::Pointers(PointsTo &All, InstanceId Thread)
    : Process(All), Thread(Thread), F(All.instance(Thread).F), Facts(All.instance(Thread).Facts),
      Evolution(Facts.Evolution), Memory(std::make_unique<MemoryReader>(F, *this)) {
  // A thread that another one starts calls things by the names that the other has for them.
  for (const Argument &Given : F.args())
    if (std::optional<Named> Own = variableOf(&Given); Own && All.instance(Thread).Parent == ~0u)
      for (const Pointer &P : All.of(Thread, &Given))
        if (P.Base->What == Origin::Kind::Pointee && !P.Base->Holder)
          Spellings[P.Base] = Own->Path;
}
Pointers::~Pointers() = default;

namespace {

enum : unsigned { DeepestQuestion = 48 };

bool isNumber(const Pointer &P) { return P.Base->What == Origin::Kind::Number; }
bool isNothing(const Pointer &P) {
  return P.Base->What == Origin::Kind::Null || P.Base->What == Origin::Kind::Code;
}

} // namespace

PointerSet Pointers::resolve(const Value *V) {
  PointerSet All = raw(V);
  // Never stored anywhere: not known, unless it is null.
  bool Empty = All.empty() && !isa<UndefValue>(V);
  bool Open = std::erase_if(All, isNumber);
  std::erase_if(All, isNothing);
  if (Empty || Open)
    addAll(All, Process.unknown());
  return All;
}

PointerSet Pointers::resolveAddress(const Value *Integer) {
  PointerSet All = raw(Integer);
  bool Open = std::erase_if(All, isNumber);
  std::erase_if(All, isNothing);
  if (Open && !All.empty())
    addAll(All, Process.unknown());
  return All;
}

/// What is known at this place of the program: a part of what PointsTo says of all times.
PointerSet Pointers::raw(const Value *V) {
  if (!isa<Instruction>(V) && !isa<ConstantExpr>(V))
    return Process.united(Process.of(Thread, V));
  if (auto Found = Known.find(V); Found != Known.end())
    return Found->second;
  // A question that comes back to itself gets the wider answer.
  if (Open.size() > DeepestQuestion || !Open.insert(V).second) {
    auto *Gep = dyn_cast<GEPOperator>(V);
    return Gep && InArrays.contains(Gep) ? inArrays(*Gep) : Process.united(Process.of(Thread, V));
  }
  PointerSet Result = Process.united(narrowed(V));
  Open.erase(V);
  return Known[V] = std::move(Result);
}

/// The only number that an index has here, when it is known from memory too: the head of a ring.
std::optional<std::int64_t> Pointers::oneNumber(const Value &Index) {
  auto Numbers = Memory->constants(&Index);
  if (!Numbers || Numbers->size() != 1 || !Index.getType()->isIntegerTy())
    return std::nullopt;
  unsigned Bits = Index.getType()->getIntegerBitWidth();
  std::int64_t Number = SignExtend64(Numbers->front(), std::min(Bits, 64u));
  return Number < -Far || Number > Far ? std::nullopt : std::optional(Number);
}

/// As far as this thread has put them there itself, or nobody has.
HeldNumbers Pointers::numbersAt(const LoadInst &Load) {
  HeldNumbers Found;
  const PointerSet Places = raw(Load.getPointerOperand());
  if (Places.size() != 1 || !Load.getType()->isIntegerTy())
    return Found;
  const unsigned Bits = Load.getType()->getIntegerBitWidth();
  const std::int64_t Size = F.getParent()->getDataLayout().getTypeStoreSize(Load.getType());
  // What is volatile changes behind the program's back.
  Found.All = Bits <= 64 && (!Load.isVolatile() || Places[0].Base->What == Origin::Kind::Stack);
  for (const Content &C : Memory->readInAnyRun(Places[0], Size, &Load, Load.getPointerOperand()))
    if (C.What == Content::Kind::Constant && Bits <= 64)
      Found.Known.push_back({SignExtend64(C.Constant, Bits)});
    else if (C.What == Content::Kind::Value && C.V->getType() == Load.getType())
      Found.Known.push_back({0, C.V, C.StoredBy});
    else
      Found.All = false;
  return Found;
}

ConstantRange Pointers::boundsOf(const Value *Integer, const Instruction *At) {
  auto *V = const_cast<Value *>(Integer);
  ConstantRange Range = Evolution.isSCEVable(V->getType())
                            ? Evolution.getUnsignedRange(Evolution.getSCEV(V))
                            : ConstantRange::getFull(V->getType()->getIntegerBitWidth());
  if (!At)
    return Range;
  auto *Here = const_cast<Instruction *>(At);
  Range = Range.intersectWith(Facts.Ranges.getConstantRange(V, Here, false));
  // Comparisons are of the widened value: with sizeof, say.
  for (User *U : V->users())
    if (auto *Wider = dyn_cast<ZExtInst>(U); Wider && Facts.Tree.dominates(Wider, At))
      Range = Range.intersectWith(
          Facts.Ranges.getConstantRange(Wider, Here, false).truncate(Range.getBitWidth()));
  return Range;
}

PointerSet Pointers::narrowed(const Value *V) {
  if (auto *Gep = dyn_cast<GEPOperator>(V); Gep && !Gep->getType()->isVectorTy())
    return ofElement(*Gep);
  if (auto *Load = dyn_cast<LoadInst>(V))
    return ofLoad(*Load);
  if (auto *Select = dyn_cast<SelectInst>(V)) {
    PointerSet All = raw(Select->getTrueValue());
    addAll(All, raw(Select->getFalseValue()));
    return All;
  }
  if (auto *Op = dyn_cast<Operator>(V);
      Op && (Op->getOpcode() == Instruction::PtrToInt || Op->getOpcode() == Instruction::Freeze))
    return raw(Op->getOperand(0));
  if (auto *Merge = dyn_cast<PHINode>(V); Merge && Process.isRecurrence(Thread, *Merge))
    return Process.ofMerge(Thread, *Merge, [&](const Value *Start) { return raw(Start); });
  if (auto *Op = dyn_cast<Operator>(V);
      Op && (Op->getOpcode() == Instruction::IntToPtr || isa<BinaryOperator>(V)))
    return Process.ofArithmetic(Thread, *Op, [&](const Value *Operand) { return raw(Operand); });
  return Process.of(Thread, V);
}

/// An index stays in its array if it does so as long as it has: what has been stored through the address that
/// is asked for is in the array, while that is asked. If it does not, all that was found so far is forgotten.
PointerSet Pointers::ofElement(const GEPOperator &Gep) {
  bool Leaves = false;
  auto find = [&] {
    return Process.ofGep(
        Thread, Gep, raw(Gep.getPointerOperand()),
        [&](const Value *Index) {
          const std::optional<std::int64_t> Number = oneNumber(*Index);
          Leaves |= Number && !isa<Constant>(Index); // perhaps
          return Number;
        },
        [&](const ArrayType &Array, IndexRange Range, const Value *Index) {
          const IndexRange Found = indexInto(Array, Range, Facts, Gep, Index,
                                             [&](const LoadInst &Load) { return numbersAt(Load); });
          Leaves |= Found.first < 0 || Found.second >= static_cast<std::int64_t>(Array.getNumElements());
          return Found;
        });
  };
  InArrays.emplace(&Gep, false);
  PointerSet Found = find();
  const bool RestsOnIt = InArrays.find(&Gep)->second;
  InArrays.erase(&Gep);
  if (!Leaves || !RestsOnIt)
    return Found;
  Known.clear();
  return find();
}

PointerSet Pointers::inArrays(const GEPOperator &Gep) {
  InArrays.find(&Gep)->second = true;
  return Process.united(Process.ofGep(Thread, Gep, raw(Gep.getPointerOperand()), PointsTo::constantIndex,
                                      [](const ArrayType &Array, IndexRange, const Value *) {
                                        return IndexRange(0, Array.getNumElements() - 1);
                                      }));
}

PointerSet Pointers::ofLoad(const LoadInst &Load) {
  bool IsPointer = !Load.getType()->isIntegerTy();
  std::int64_t Size = F.getParent()->getDataLayout().getTypeStoreSize(Load.getType());
  PointerSet All, Places = raw(Load.getPointerOperand());
  if (Places.size() == 1 && Places[0].Base->named() && Places[0].exact() && Size == 8) {
    bool Certain = true;
    for (const Content &C : Memory->read(Places[0], Size, &Load)) {
      if (C.What == Content::Kind::Value)
        addAll(All, raw(C.V));
      else
        Certain &= C.What == Content::Kind::Constant && C.Constant == 0;
    }
    if (Certain && !All.empty())
      return All;
    All.clear();
  }
  for (const Pointer &Place : Places)
    addAll(All, Process.contents(Place, Size, IsPointer));
  return All;
}

PointerSet Pointers::whatIsFoundAt(const Pointer &Where, bool IsPointer) {
  PointerSet All = Process.united(Process.contents(Where, 8, IsPointer));
  bool Open = std::erase_if(All, isNumber);
  std::erase_if(All, isNothing);
  if (Open && (IsPointer || !All.empty()))
    addAll(All, Process.unknown());
  return All;
}

PointerSet Pointers::behind(PointerSet Given, const FurtherUse &Use) {
  for (unsigned Step = 0; Step < Use.Steps; ++Step) {
    PointerSet Next;
    for (const Pointer &P : Given)
      addAll(Next, P.Base->named() ? whatIsFoundAt(Use.First ? P : anyKept(P.Base), true) : PointerSet{P});
    Given = std::move(Next);
  }
  return Given;
}

std::vector<const Function *> Pointers::functionsIn(const Value *V, bool &Open) {
  std::vector<const Function *> Found;
  PointerSet All = Process.of(Thread, V);
  Open = All.empty();
  for (const Pointer &P : All)
    if (P.Base->What == Origin::Kind::Code)
      Found.push_back(cast<Function>(P.Base->Root));
    else
      Open |= P.Base->What != Origin::Kind::Null;
  return Found;
}

std::vector<const Function *> Pointers::functionsStoredIn(const Origin &Block) {
  std::vector<const Function *> Found;
  for (const Pointer &P : Process.contents({&Block, 0, Unbounded, 0, {1}}, Unbounded, true))
    if (P.Base->What == Origin::Kind::Code)
      Found.push_back(cast<Function>(P.Base->Root));
  return Found;
}

std::vector<const GlobalVariable *> Pointers::tablesStoredIn(const Origin &Block) {
  std::vector<const GlobalVariable *> Found;
  for (const Pointer &P : Process.contents({&Block, 0, Unbounded, 0, {1}}, Unbounded, true))
    if (auto *Table = dyn_cast_or_null<GlobalVariable>(P.Base->Root);
        Table && Table->getName().starts_with("_ZTV") && Table->hasInitializer())
      Found.push_back(Table);
  return Found;
}

std::string Pointers::spelled(const Origin &Block, std::string Path) const {
  const Origin *Root = &Block;
  while (Root->Holder && !Spellings.count(Root))
    Root = Root->Holder;
  auto Found = Spellings.find(Root);
  std::size_t At = Path.find_first_not_of('*');
  if (Found != Spellings.end() && At != std::string::npos &&
      Path.compare(At, Root->Name.Path.size(), Root->Name.Path) == 0)
    Path.replace(At, Root->Name.Path.size(), Found->second);
  return Path;
}

Named Pointers::pathAt(const Pointer &Where, std::int64_t Size) const {
  Named Part = pathIn(*Where.Base, Where, Size);
  Part.Path = spelled(*Where.Base, std::move(Part.Path));
  return Part;
}

Named Pointers::pathOf(const Value *V) {
  if (auto *Load = dyn_cast<LoadInst>(V)) {
    PointerSet Places = resolve(Load->getPointerOperand());
    if (Places.size() == 1 && Places[0].Base->named())
      return pathAt(Places[0], F.getParent()->getDataLayout().getTypeStoreSize(Load->getType()));
  }
  return variableOf(V).value_or(Named{});
}

} // namespace rdma::clang_ir
