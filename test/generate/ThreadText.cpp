#include "ThreadText.h"

#include "PollText.h"

namespace rdma::test {

/// All of the node, so that the same parameters of two entries are the same queue pairs.
std::vector<QueuePairId> ThreadText::pairsGiven(ThreadIndex T) const {
  std::vector<QueuePairId> All;
  for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q)
    if (P.Threads[P.QueuePairs[Q].Owner].Home == P.Threads[T].Home)
      All.push_back(Q);
  return All;
}

std::string ThreadText::end(QueuePairId Q) const {
  return S[Aspect::Ends] == "parameters" ? "e" + std::to_string(Q) + "->" : object(Q) + ".";
}

std::string ThreadText::object(QueuePairId Q) const {
  std::string Number = std::to_string(Q);
  std::string_view Ends = S[Aspect::Ends];
  return Ends == "parameters" ? "(*e" + Number + ")"
         : Ends == "members"  ? "ctx->e" + Number
         : Ends == "array"    ? "ctx->ends[" + Number + "]"
                              : "e" + Number;
}

/// Queue pairs that share a completion queue have it in the first one's end.
std::string ThreadText::queue(CompletionQueueId Queue) const {
  for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q)
    if (P.QueuePairs[Q].Queue == Queue)
      return end(Q) + "cq";
  return "0";
}

std::string ThreadText::shared() const {
  std::string_view Ends = S[Aspect::Ends];
  if (Ends == "members" || Ends == "array")
    return "struct context *ctx";
  return Memory.byPointer() ? "struct memory *mem" : "";
}

std::string ThreadText::parameters(ThreadIndex T) const {
  std::string Out = shared();
  if (S[Aspect::Ends] == "parameters")
    for (QueuePairId Q : pairsGiven(T))
      Out += (Out.empty() ? "" : ", ") + std::string("struct end *e") + std::to_string(Q);
  return Out.empty() ? "void" : Out;
}

std::string ThreadText::literal(const Operation &Op) {
  std::string Value = std::to_string(P.Objects[Op.Local.Target].Initial);
  std::string Name = "lit" + std::to_string(Op.Local.Target) + "_" + Current->Name;
  std::string_view Way = S[Aspect::Literals];
  if (Way == "static" || steps()) {
    std::string Text = "static uint64_t " + Name + " = " + Value + ";\n";
    if (Statics.find(Text) == std::string::npos)
      Statics += Text;
  } else if (Way == "heap") {
    Locals += "uint64_t *" + Name + " = (uint64_t *)malloc(8); *" + Name + " = " + Value + ";\n";
    return Name;
  } else {
    Locals += "uint64_t " + Name + " = " + Value + ";\n";
  }
  return "&" + Name;
}

Request ThreadText::request(const Operation &Op) {
  Request R;
  R.End = end(Op.Pair);
  R.Object = object(Op.Pair);
  bool Put = Op.Kind == OperationKind::Put;
  R.Local =
      "(void *)" + (P.Objects[Op.Local.Target].Fresh ? literal(Op) : "&" + Memory.place(Op.Local.Target));
  R.Remote = Memory.remote(R.End, Op.Remote.Target);
  R.Atomic = Op.Kind == OperationKind::RemoteCas || Op.Kind == OperationKind::RemoteFaa;
  R.Opcode = Put                                   ? "IBV_WR_RDMA_WRITE"
             : Op.Kind == OperationKind::Get       ? "IBV_WR_RDMA_READ"
             : Op.Kind == OperationKind::RemoteCas ? "IBV_WR_ATOMIC_CMP_AND_SWP"
                                                   : "IBV_WR_ATOMIC_FETCH_AND_ADD";
  if (R.Atomic)
    R.Compare = std::to_string((*Op.Value)[0].Constant);
  if (Op.Kind == OperationKind::RemoteCas)
    R.Swap = std::to_string((*Op.Desired)[0].Constant);
  std::string Flags = Op.Unsignaled ? "" : "IBV_SEND_SIGNALED";
  auto add = [&](bool When, const char *Flag) {
    if (When)
      Flags += (Flags.empty() ? "" : " | ") + std::string(Flag);
  };
  add(Op.Inline, "IBV_SEND_INLINE");
  add(Op.Fenced, "IBV_SEND_FENCE");
  R.Flags = Flags.empty() ? "0" : Flags;
  return R;
}

std::string ThreadText::assignment(const Operation &Op) {
  std::string Value;
  for (const Term &T : *Op.Value)
    Value += (Value.empty() ? (T.Sign < 0 ? "-" : "")
              : T.Sign < 0  ? " - "
                            : " + ") +
             (T.IsConstant ? std::to_string(T.Constant) : Memory.read(T.Location.Target));
  return Memory.write(Op.Local.Target, Value) + "\n";
}

std::string ThreadText::assume(const Operation &Op) const {
  std::string Test =
      Memory.read(Op.Local.Target) + (Op.Negated ? " == " : " != ") + std::to_string(Op.Constant);
  return S[Aspect::Waits] == "spin" ? "while (" + Test + ")\n;\n" : "if (" + Test + ") " + leave() + "\n";
}

std::string ThreadText::statement(const Operation &Op) {
  switch (Op.Kind) {
  case OperationKind::Put:
  case OperationKind::Get:
  case OperationKind::RemoteCas:
  case OperationKind::RemoteFaa:
    return Post.post(request(Op), leave());
  case OperationKind::Poll:
    return pollText(S, queue(Op.Queue), Op.Count);
  case OperationKind::Store:
    return assignment(Op);
  case OperationKind::LocalCas:
    return Memory.swap(Op.Local.Target, std::to_string((*Op.Value)[0].Constant),
                       std::to_string((*Op.Desired)[0].Constant), Op.Result.Target) +
           "\n";
  case OperationKind::Assume:
    return assume(Op);
  case OperationKind::MemoryFence: {
    const char *Ways[] = {"__sync_synchronize();\n", "__atomic_thread_fence(__ATOMIC_SEQ_CST);\n",
                          "__asm__ volatile(\"mfence\" ::: \"memory\");\n"};
    return Ways[Random() % 3];
  }
  default:
    return "";
  }
}

std::string ThreadText::choice(const Structured &Of) {
  std::string Bit = "(rand() & " + std::to_string(1u << (Random() % 3)) + ")", Out;
  if (Of.Parts.size() == 2 && Random() % 2)
    return "if " + Bit + " {\n" + block(*Of.Parts[0]) + "} else {\n" + block(*Of.Parts[1]) + "}\n";
  Out = "switch (rand() % " + std::to_string(Of.Parts.size()) + ") {\n";
  for (std::size_t I = 0; I < Of.Parts.size(); ++I)
    Out += (I + 1 < Of.Parts.size() ? "case " + std::to_string(I) : std::string("default")) + ": {\n" +
           block(*Of.Parts[I]) + "break; }\n";
  return Out + "}\n";
}

/// What may stand in a step of its own each.
std::vector<std::string> ThreadText::statements(const Structured &Of) {
  using Kind = Structured::Kind;
  if (Of.What == Kind::Statement)
    return {statement(Current->Statements[Of.Id].Op)};
  if (Of.What == Kind::Choice)
    return {choice(Of)};
  if (Of.What == Kind::Loop) {
    std::string Head = Random() % 2 ? "while (rand() & 1) {\n"
                                    : "for (int round = 0, rounds = rand(); round < rounds; ++round) {\n";
    return {Head + block(*Of.Parts.at(0)) + "}\n"};
  }
  std::vector<std::string> Out;
  for (std::size_t I = 0; I < Of.Parts.size(); ++I) {
    std::vector<Request> List;
    for (; I < Of.Parts.size() && S[Aspect::Requests] == "chained" && Of.Parts[I]->What == Kind::Statement;
         ++I) {
      const Operation &Op = Current->Statements[Of.Parts[I]->Id].Op;
      bool Posts = Op.Kind == OperationKind::Put || Op.Kind == OperationKind::Get ||
                   Op.Kind == OperationKind::RemoteCas || Op.Kind == OperationKind::RemoteFaa;
      if (!Posts || (!List.empty() && List.front().End != end(Op.Pair)))
        break;
      List.push_back(request(Op));
    }
    if (!List.empty())
      Out.push_back(Post.list(List, leave()));
    if (I < Of.Parts.size()) {
      // A request that ended a list begins the next one.
      bool Again = !List.empty() && Of.Parts[I]->What == Kind::Statement &&
                   Current->Statements[Of.Parts[I]->Id].Op.Pair != None;
      if (Again)
        --I;
      else
        for (std::string &Part : statements(*Of.Parts[I]))
          Out.push_back(std::move(Part));
    }
  }
  return Out;
}

std::string ThreadText::block(const Structured &Of) {
  std::string Out;
  for (const std::string &Part : statements(Of))
    Out += Part;
  return Out;
}

std::string ThreadText::function(ThreadIndex T) {
  Current = &P.Threads[T];
  Statics = Locals = "";
  std::vector<std::string> Parts = statements(*structure(*Current));
  std::erase(Parts, "");
  std::string_view Control = S[Aspect::Control];
  std::string Body, Head = "void " + nameOf(T) + "(" + parameters(T) + ") {\n";
  if (steps()) {
    std::string Step = "step_" + Current->Name, Names, Formal = parameters(T);
    if (!shared().empty())
      Names = ", " + shared().substr(shared().find('*') + 1);
    if (S[Aspect::Ends] == "parameters")
      for (QueuePairId Q : pairsGiven(T))
        Names += ", e" + std::to_string(Q);
    std::string Before = "static int " + Step + "(int which" + (Formal == "void" ? "" : ", " + Formal) +
                         ") {\n" + Post.locals() + "switch (which) {\n";
    for (std::size_t I = 0; I < Parts.size(); ++I) {
      Before += "case " + std::to_string(I) + ":\n" + Parts[I] + "break;\n";
      if (Control == "switch")
        Body += "if (" + Step + "(" + std::to_string(I) + Names + ")) return;\n";
    }
    if (Control == "loop")
      Body = "for (int i = 0; i < " + std::to_string(Parts.size()) + "; ++i)\nif (" + Step + "(i" + Names +
             ")) return;\n";
    return Statics + Before + "}\nreturn 0;\n}\n" + Head + Body + "}\n";
  }
  for (const std::string &Part : Parts)
    Body += Part;
  if (Control == "once")
    Body = "for (int once = 1; once; once = 0) {\n" + Body + "}\n";
  if (Control == "exceptions")
    Body = "try {\n" + Body + "} catch (int) {\nabort();\n}\n";
  return Statics + Head + Locals + Post.locals() + Body + "}\n";
}

std::vector<std::string> ThreadText::entries(NodeId N) const {
  std::vector<std::string> Names;
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    if (P.Threads[T].Home == N)
      Names.push_back(nameOf(T));
  if (S[Aspect::Threads] != "entries" && !Names.empty())
    return {"run_" + P.Nodes[N].Name};
  return Names;
}

std::string ThreadText::starter(NodeId N) const {
  std::vector<std::string> Names;
  for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
    if (P.Threads[T].Home == N)
      Names.push_back(nameOf(T));
  if (S[Aspect::Threads] == "entries" || Names.empty())
    return "";
  std::string Given = shared().empty() ? "" : shared().substr(shared().find('*') + 1);
  std::string Type = shared().empty() ? "" : shared().substr(0, shared().find('*') + 1);
  std::string Before, Start, Join, Own;
  bool Self = S[Aspect::Threads] == "pthread and self";
  for (std::size_t I = 0; I < Names.size(); ++I) {
    std::string Handle = "t" + std::to_string(I), Call = Names[I] + "(";
    if (Self && I + 1 == Names.size()) {
      Own = Call + Given + ");\n";
    } else if (S[Aspect::Threads] == "std::thread") {
      Start += "std::thread " + Handle + "([=] { " + Call + Given + "); });\n";
      Join += Handle + ".join();\n";
    } else {
      Before += "static void *start_" + Names[I] + "(void *p) {\n" + Call +
                (Given.empty() ? "" : "(" + Type + ")p") + ");\nreturn p;\n}\n";
      Start += "pthread_t " + Handle + ";\nif (pthread_create(&" + Handle + ", 0, start_" + Names[I] + ", " +
               (Given.empty() ? "0" : Given) + ")) abort();\n";
      Join += "pthread_join(" + Handle + ", 0);\n";
    }
  }
  return Before + "void run_" + P.Nodes[N].Name + "(" + (shared().empty() ? "void" : shared()) + ") {\n" +
         Start + Own + Join + "}\n";
}

} // namespace rdma::test
