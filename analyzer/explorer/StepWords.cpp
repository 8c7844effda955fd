#include "analyzer/explorer/StepWords.h"

#include "ir/Words.h"

namespace rdma::explorer {

using enum OperationKind;
using nic::Rule;

namespace {

enum class Did : std::uint8_t {
#define TEXT(Id, Words) Id,
#include "analyzer/explorer/StepTexts.def"
#undef TEXT
};

std::string words(Did What, const std::string &Name = "") {
  static constexpr const char *Registry[] = {
#define TEXT(Id, Words) Words,
#include "analyzer/explorer/StepTexts.def"
#undef TEXT
  };
  return fillIn(Registry[static_cast<unsigned>(What)], {&Name, 1});
}

class Words {
public:
  Words(const Machine &M, const State &Before, const State &After)
      : P(*M.program().Source), M(M), Before(Before), After(After) {}

  std::optional<WitnessStep> cpu(const Transition &T) const {
    if (M.choosing(Before, T.Index))
      return std::nullopt;
    const CompiledStatement &C = *M.current(Before, T.Index);
    std::string What = cpuWords(C, T.Index);
    if (What.empty())
      return std::nullopt;
    return WitnessStep{C.Where, T.Index, What};
  }

  std::optional<WitnessStep> flush(unsigned Thread) const {
    const Buffered &B = Before.Buffers[Thread].front();
    if (!B.IsWrite)
      return std::nullopt;
    return WitnessStep{{}, Thread, words(Did::BufferLeaves, valued(B.Location, B.Value)), Actor::StoreBuffer};
  }

  std::optional<WitnessStep> nic(const Transition &T) const {
    const Request &R = M.request(Before, T);
    std::string What = nicWords(T.Step.Taken, R);
    if (What.empty())
      return std::nullopt;
    ThreadIndex Owner = P.QueuePairs[T.Index].Owner;
    Site Where;
    if (R.Statement != None)
      Where = M.program().Threads[Owner].Statements[R.Statement].Where;
    return WitnessStep{Where, Owner, What, Actor::Nic};
  }

private:
  std::string valued(ObjectId Location, std::int64_t Value) const {
    return P.Objects[Location].Name + " = " + std::to_string(Value);
  }
  std::string inMemory(ObjectId Location) const { return valued(Location, After.Memory[Location]); }

  std::string cpuWords(const CompiledStatement &C, unsigned Thread) const {
    unsigned Phase = Before.Threads[Thread].Phase;
    if (Phase < C.Reads.size())
      return seen(Thread, C.Reads[Phase].Location);
    switch (C.Op.Kind) {
    case Load:
    case Assume:
      return seen(Thread, C.Op.Local.Target);
    case Store:
      return written(C.Op.Local.Target, Before.Threads[Thread].Value);
    case LocalCas:
      if (Phase > C.Reads.size())
        return written(C.Op.Result.Target, Before.Threads[Thread].Old);
      return words(Did::CpuSwaps, inMemory(C.Op.Local.Target));
    case Poll:
      return words(Did::PollFinds);
    case Wait:
      return words(Did::WaitEnds);
    case MemoryFence:
      return words(Did::FenceFinds);
    case Nop:
    case LocalRmw:
      return "";
    default:
      return words(Did::RequestPosted);
    }
  }

  std::string seen(unsigned Thread, ObjectId Location) const {
    for (auto B = Before.Buffers[Thread].rbegin(); B != Before.Buffers[Thread].rend(); ++B)
      if (B->IsWrite && B->Location == Location)
        return words(Did::CpuReadsOwn, valued(Location, B->Value));
    return words(Did::CpuReads, valued(Location, Before.Memory[Location]));
  }
  std::string written(ObjectId Location, std::int64_t Value) const {
    return words(M.model() == Model::RdmaTso ? Did::CpuBuffers : Did::CpuWrites, valued(Location, Value));
  }

  std::string nicWords(Rule R, const Request &Data) const {
    switch (R) {
    case Rule::PutReads:
      return P.Objects[Data.Local].Fresh ? "" : words(Did::SourceRead, inMemory(Data.Local));
    case Rule::PutArrives:
      return words(Did::WriteArrives, inMemory(Data.Remote));
    case Rule::GetReads:
      return words(Did::RemoteRead, inMemory(Data.Remote));
    case Rule::LocalWriteArrives:
      return P.Objects[Data.Local].Fresh ? "" : words(Did::ResultDelivered, inMemory(Data.Local));
    case Rule::AtomicReads:
      return words(Did::AtomicReads, inMemory(Data.Remote));
    case Rule::AtomicArrives:
      return words(Did::AtomicArrives, inMemory(Data.Remote));
    default:
      return ""; // moves between queues
    }
  }

  const Program &P;
  const Machine &M;
  const State &Before, &After;
};

} // namespace

std::optional<WitnessStep> inWords(const Machine &M, const State &Before, const State &After,
                                   const Transition &T) {
  Words W(M, Before, After);
  switch (T.What) {
  case Transition::Kind::Cpu:
    return W.cpu(T);
  case Transition::Kind::Flush:
    return W.flush(T.Index);
  case Transition::Kind::Nic:
    return W.nic(T);
  }
  return std::nullopt;
}

} // namespace rdma::explorer
