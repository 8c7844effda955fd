// Requests that calls build: ibv_wr_start, for each request what it does and with which data, and
// ibv_wr_complete, which posts them all.
#include "analyzer/clang/translate/Translator.h"

#include <algorithm>

namespace rdma::clang_ir {

using namespace llvm;

namespace {

/// "rdma_write" of ibv_wr_rdma_write.
StringRef shortName(const ApiRow &Row) {
  StringRef Name = Row.Name;
  Name.consume_front("ibv_wr_");
  return Name;
}

bool isEnd(Api What) { return What == Api::WrComplete || What == Api::WrAbort; }
bool isBuilder(Api What) { return What == Api::WrStart || What == Api::WrCall || isEnd(What); }

std::optional<std::uint64_t> opcodeOf(StringRef What) {
  static const std::map<StringRef, std::uint64_t> Opcodes = {
      {"rdma_write", WrWrite},         {"rdma_write_imm", WrWriteWithImm},
      {"rdma_read", WrRead},           {"send", WrSend},
      {"send_imm", WrSendWithImm},     {"atomic_cmp_swp", WrCompareSwap},
      {"atomic_fetch_add", WrFetchAdd}};
  auto Found = Opcodes.find(What);
  return Found == Opcodes.end() ? std::nullopt : std::optional(Found->second);
}

/// Which setter is called decides what is inline, not the flags.
std::optional<std::vector<std::uint64_t>> flagsFor(std::optional<std::vector<std::uint64_t>> Flags) {
  if (Flags)
    for (std::uint64_t &F : *Flags)
      F &= ~std::uint64_t(SendInline);
  return Flags;
}

} // namespace

void Translator::findBuilders() {
  for (const BasicBlock &Block : In.F)
    for (const Instruction &I : Block) {
      auto *Call = dyn_cast<CallBase>(&I);
      const ApiRow *Row = Call ? meaning(*Call) : nullptr;
      if (!Row || !isEnd(Row->What))
        continue;
      std::optional<Builders> Calls = buildersOf(*Call);
      std::optional<WorkChain> Chain = Calls ? built(*Calls) : std::nullopt;
      if (!Chain)
        continue;
      if (Row->What == Api::WrComplete)
        Built[Call] = std::move(*Chain);
      Understood.insert(Calls->begin(), Calls->end());
    }
}

/// The calls between ibv_wr_start and this ibv_wr_complete, in their order; absent when they are not the same
/// on every way, or when one of them may be another queue pair's.
std::optional<Translator::Builders> Translator::buildersOf(const CallBase &Complete) {
  PointerSet Qp = Where.resolve(Complete.getArgOperand(0));
  if (Qp.size() != 1 || !Qp[0].Base->named() || Qp[0].Base->Many || !Qp[0].exact())
    return std::nullopt;
  Builders Found;
  const CallBase *Start = nullptr;
  std::set<const BasicBlock *> Seen;
  std::vector<const Instruction *> Work{&Complete};
  while (!Work.empty()) {
    const Instruction *I = Work.back();
    Work.pop_back();
    const BasicBlock *Block = I->getParent();
    bool Begun = false;
    for (const Instruction *Before = I->getPrevNode(); Before && !Begun; Before = Before->getPrevNode()) {
      auto *Call = dyn_cast<CallBase>(Before);
      const ApiRow *Row = Call ? meaning(*Call) : nullptr;
      if (!Row || !isBuilder(Row->What))
        continue;
      PointerSet Other = Where.resolve(Call->getArgOperand(0));
      bool Same = Other == Qp;
      bool Apart = std::none_of(Other.begin(), Other.end(),
                                [&](const Pointer &P) { return !P.Base->named() || P.Base == Qp[0].Base; });
      if (Apart && !Same)
        continue;
      if (!Same || isEnd(Row->What))
        return std::nullopt;
      if (Row->What == Api::WrCall) {
        Found.push_back(Call);
        continue;
      }
      if (Start && Start != Call)
        return std::nullopt;
      Start = Call;
      Begun = true;
    }
    if (Begun)
      continue;
    if (pred_empty(Block))
      return std::nullopt;
    for (const BasicBlock *From : predecessors(Block))
      if (Seen.insert(From).second) {
        // The terminator may itself be such a call: of an exception's way, which is not followed.
        if (isa<CallBase>(From->getTerminator()))
          if (const ApiRow *Row = meaning(*cast<CallBase>(From->getTerminator()));
              Row && isBuilder(Row->What))
            return std::nullopt;
        Work.push_back(From->getTerminator());
      }
  }
  for (const CallBase *Call : Found)
    if (!onceBetween(*Start, *Call, Complete))
      return std::nullopt;
  std::sort(Found.begin(), Found.end(),
            [&](const CallBase *A, const CallBase *B) { return A != B && Tree.dominates(A, B); });
  return Found;
}

/// Is the call made exactly once on every way from Start to Complete?
bool Translator::onceBetween(const CallBase &Start, const CallBase &Call, const CallBase &Complete) {
  const Loop *Around = Loops.getLoopFor(Call.getParent());
  return Tree.dominates(&Start, &Call) && Tree.dominates(&Call, &Complete) &&
         Loops.getLoopFor(Start.getParent()) == Around && Loops.getLoopFor(Complete.getParent()) == Around;
}

/// The requests as these calls fill them; absent when one of them is of a kind that is not analysed.
std::optional<WorkChain> Translator::built(const Builders &Calls) {
  WorkChain Chain;
  for (const CallBase *Call : Calls) {
    StringRef What = shortName(*meaning(*Call));
    if (auto Opcode = opcodeOf(What)) {
      WorkRequest R;
      R.Opcodes = std::vector{*Opcode};
      R.Segments = std::vector<Segment>{};
      PointerSet Qp = Where.resolve(Call->getArgOperand(0));
      R.Flags = flagsFor(Memory.constants(Memory.read(moved(Qp[0], layout::BuiltFlags), 4, Call)));
      if (Call->arg_size() > 2 && *Opcode != WrSendWithImm) {
        R.Remote = Memory.alternatives(Call->getArgOperand(2));
        R.RemoteConstant = single(Memory.constants(Call->getArgOperand(2)));
      }
      if (Call->arg_size() > 3)
        R.CompareAdd = single(Memory.constants(Call->getArgOperand(3)));
      if (Call->arg_size() > 4)
        R.Swap = single(Memory.constants(Call->getArgOperand(4)));
      Chain.Requests.push_back(std::move(R));
    } else if (Chain.Requests.empty() || !describe(Chain.Requests.back(), *Call, What)) {
      return std::nullopt;
    }
  }
  return Chain;
}

/// The data that a setter names; absent where a list is not known.
std::optional<std::vector<Segment>> Translator::segmentsOf(const CallBase &Call, bool Inline, bool Listed) {
  if (!Listed) {
    Segment S;
    const Value *Address = Call.getArgOperand(Inline ? 1 : 2);
    S.Address = Inline ? Where.resolve(Address) : Where.resolveAddress(Address);
    S.Stored = Address;
    setLength(S, Memory, Where, {{Content::Kind::Value, 0, Call.getArgOperand(Inline ? 2 : 3)}}, &Call);
    return std::vector{S};
  }
  PointerSet List = Where.resolve(Call.getArgOperand(2));
  auto Count = single(Memory.constants(Call.getArgOperand(1)));
  if (List.size() != 1 || !Count || *Count > MostSegments)
    return std::nullopt;
  return readSegments(Memory, Where, List[0], *Count, &Call, Inline ? DataBuffers : ScatterGather);
}

/// The data of a request.
bool Translator::describe(WorkRequest &R, const CallBase &Call, StringRef What) {
  const bool Inline = What.starts_with("set_inline_data"), Listed = What.ends_with("_list");
  if (Inline && R.Flags)
    for (std::uint64_t &F : *R.Flags)
      F |= SendInline;
  if (!Inline && What != "set_sge" && What != "set_sge_list")
    return false;
  R.Segments = segmentsOf(Call, Inline, Listed);
  return true;
}

/// Inline data is read by this call, not when the requests are posted.
void Translator::build(const CallBase &Call) {
  const ApiRow &Row = *meaning(Call);
  if (!Understood.count(&Call))
    return remark(Call, {words::PartOfUnknown, Row.Name}, false);
  StringRef What = shortName(Row);
  if (!What.starts_with("set_inline_data"))
    return;
  const std::optional<std::vector<Segment>> Data = segmentsOf(Call, true, What.ends_with("_list"));
  if (!Data || any_of(*Data, [](const Segment &S) { return S.Address.empty(); }))
    return remark(Call, words::BuffersUnknown, false);
  for (const Segment &S : *Data)
    emit(loads(S), Call);
}

Ways Translator::loads(const Segment &S) {
  Ways All;
  for (const Pointer &At : S.Address) {
    Operation Op;
    Op.Kind = OperationKind::Load;
    Op.Local = access(At, S.Length.value_or(Unbounded));
    if (At.Base->What != Origin::Kind::Foreign)
      All.push_back({Op});
  }
  return All;
}

void Translator::postBuilt(const CallBase &Call) {
  auto Found = Built.find(&Call);
  if (Found == Built.end())
    return remark(Call, words::BuiltUnknown, false);
  post(Found->second, Call);
}

} // namespace rdma::clang_ir
