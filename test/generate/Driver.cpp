#include "Driver.h"

#include "MemoryText.h"
#include "analyzer/explorer/Compiled.h"
#include "analyzer/explorer/Explore.h"

#include <set>

namespace rdma::test {
namespace {

class Glue {
public:
  Glue(const Program &P, const Style &S) : P(P), S(S), Memory(P, S) {}

  std::string run(const Sources &Of) const {
    std::string Out = "#include \"" + (Of.Texts.contains("case.h") ? "case.h" : Of.Files[0]) + "\"\n";
    Out += S.cpp() ? "extern \"C\" {\n" : "";
    for (NodeId N = 0; N < P.Nodes.size(); ++N)
      Out += nodeObjects(N);
    for (QueuePairId Q = 0; S[Aspect::Ends] == "parameters" && Q < P.QueuePairs.size(); ++Q)
      Out += "static struct end " + end(Q) + ";\n";
    return Out + setEnd() + functions() + tables() + (S.cpp() ? "}\n" : "");
  }

private:
  bool hasContext() const { return S[Aspect::Ends] == "members" || S[Aspect::Ends] == "array"; }
  NodeId homeOf(QueuePairId Q) const { return P.Threads[P.QueuePairs[Q].Owner].Home; }
  const std::string &name(NodeId N) const { return P.Nodes[N].Name; }

  std::string nodeObjects(NodeId N) const {
    std::string Out = Memory.byPointer() ? "static struct memory memory_" + name(N) + ";\n" : "";
    return Out + (hasContext() ? "static struct context context_" + name(N) + ";\n" : "");
  }

  std::string end(QueuePairId Q) const {
    std::string Number = std::to_string(Q), Context = "context_" + name(homeOf(Q));
    std::string_view Ends = S[Aspect::Ends];
    return Ends == "parameters" ? "end_" + Number
           : Ends == "members"  ? Context + ".e" + Number
           : Ends == "array"    ? Context + ".ends[" + Number + "]"
                                : "e" + Number;
  }

  std::string word(ObjectId O) const {
    const Object &Word = P.Objects[O];
    return Memory.byPointer() ? "memory_" + name(Word.Home) + "." + Word.Name : Memory.place(O);
  }

  std::string addresses(QueuePairId Q) const {
    NodeId Target = P.QueuePairs[Q].Target;
    std::string_view Kind = S[Aspect::Memory];
    if (Kind != "globals")
      return end(Q) + ".base = (uintptr_t)&" +
             (Kind == "struct"    ? "memory"
              : Kind == "pointer" ? "memory_" + name(Target)
                                  : "cells") +
             ";\n";
    std::string Out;
    for (ObjectId O = 0; O < P.Objects.size(); ++O)
      if (!P.Objects[O].Fresh && P.Objects[O].Home == Target)
        Out += end(Q) + ".at_" + P.Objects[O].Name + " = (uintptr_t)&" + word(O) + ";\n";
    return Out;
  }

  std::string setEnd() const {
    std::string Out = "static void set_end(int pair, struct ibv_qp *qp, struct ibv_cq *cq, uint32_t lkey, "
                      "uint32_t rkey) {\nswitch (pair) {\n";
    for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q) {
      std::string E = end(Q) + ".";
      Out += "case " + std::to_string(Q) + ":\n" + E + "qp = qp; " + E + "cq = cq; " + E + "lkey = lkey; " +
             E + "rkey = rkey;\n" + addresses(Q);
      if (Memory.byPointer() && hasContext())
        Out += "context_" + name(homeOf(Q)) + ".mem = &memory_" + name(homeOf(Q)) + ";\n";
      Out += "break;\n";
    }
    return Out + "}\n}\n";
  }

  std::string shared(NodeId N) const {
    return hasContext() ? "&context_" + name(N) : Memory.byPointer() ? "&memory_" + name(N) : "";
  }

  /// Of a thread that is an entry.
  std::string call(const Thread &T) const {
    std::string Given = shared(T.Home);
    for (QueuePairId Q = 0; S[Aspect::Ends] == "parameters" && Q < P.QueuePairs.size(); ++Q)
      if (homeOf(Q) == T.Home)
        Given += (Given.empty() ? "&" : ", &") + end(Q);
    return "thread_" + T.Name + "(" + Given + ")";
  }

  std::vector<std::string> calls() const {
    std::vector<std::string> All;
    std::set<NodeId> Started;
    for (const Thread &T : P.Threads)
      if (S[Aspect::Threads] == "entries")
        All.push_back(call(T));
      else if (Started.insert(T.Home).second)
        All.push_back("run_" + name(T.Home) + "(" + shared(T.Home) + ")");
    return All;
  }

  std::string functions() const {
    std::string Out, Table = "static void (*const functions[])(void) = {";
    std::string Type = hasContext()         ? "struct context *ctx"
                       : Memory.byPointer() ? "struct memory *mem"
                                            : "void";
    if (S[Aspect::Threads] != "entries" && S[Aspect::Files] != "one")
      for (const std::string &Call : calls())
        Out += (S.cpp() ? "}\nvoid " : "void ") + Call.substr(0, Call.find('(')) + "(" + Type + ");\n" +
               (S.cpp() ? "extern \"C\" {\n" : "");
    for (const std::string &Call : calls()) {
      std::string Name = "do_" + Call.substr(0, Call.find('('));
      // A node without queue pairs has no end that brings its memory along.
      std::size_t Context = Call.find("&context_");
      std::string Before = Memory.byPointer() && Context != std::string::npos
                               ? Call.substr(Context + 1, Call.find_first_of(",)", Context) - Context - 1)
                               : "";
      Out += "static void " + Name + "(void) { " +
             (Before.empty() ? "" : Before + ".mem = &memory_" + Before.substr(8) + "; ") + Call + "; }\n";
      Table += Name + ", ";
    }
    return Out + Table + "};\n";
  }

  std::string tables() const {
    std::string Pairs = "static const struct drive_pair pairs[] = {",
                Words = "static const struct drive_word words[] = {";
    unsigned Count = 0;
    for (QueuePairId Q = 0; Q < P.QueuePairs.size(); ++Q) {
      QueuePairId First = 0;
      while (P.QueuePairs[First].Queue != P.QueuePairs[Q].Queue)
        ++First;
      Pairs += "{" + std::to_string(homeOf(Q)) + ", " + std::to_string(P.QueuePairs[Q].Target) + ", " +
               std::to_string(First) + "}, ";
    }
    for (ObjectId O = 0; O < P.Objects.size(); ++O)
      if (!P.Objects[O].Fresh) {
        Words += "{\"" + P.Objects[O].Name + "\", (void *)&" + word(O) + ", " +
                 std::to_string(P.Objects[O].Initial) + "}, ";
        ++Count;
      }
    return Pairs + "{0, 0, 0}};\n" + Words + "{0, 0, 0}};\n" + (S.cpp() ? "extern " : "") +
           "const struct drive_program drive_program = {" + std::to_string(P.Nodes.size()) + ", " +
           std::to_string(P.QueuePairs.size()) + ", " + std::to_string(Count) + ", " +
           std::to_string(calls().size()) + ", pairs, words, functions, set_end};\n";
  }

  const Program &P;
  const Style &S;
  MemoryText Memory;
};

/// Where what is waited for is not there the thread ends.
void endAtAssumptions(Thread &T) {
  StatementId Entry = T.Statements.size();
  T.Statements.push_back({});
  T.Statements[Entry].Successors = {T.Entry};
  T.Entry = Entry;
  for (StatementId S = 0; S < Entry; ++S) {
    if (T.Statements[S].Op.Kind != OperationKind::Assume)
      continue;
    Statement Otherwise = T.Statements[S];
    Otherwise.Successors.clear();
    Otherwise.Op.Negated = !Otherwise.Op.Negated;
    StatementId New = T.Statements.size();
    T.Statements.push_back(Otherwise);
    for (Statement &Before : T.Statements)
      if (std::find(Before.Successors.begin(), Before.Successors.end(), S) != Before.Successors.end())
        Before.Successors.push_back(New);
  }
}

/// Where the thread waits for what nobody does any more it ends.
void endAt(Thread &T, StatementId S) {
  T.Statements[S].Op.Negated = !T.Statements[S].Op.Negated;
  T.Statements[S].Successors.clear();
}

/// Whether a run under sequential consistency may have no end, as threads wait for what does not come.
bool mayHang(const Program &P, ThreadIndex T, std::vector<const Operation *> Waiting) {
  if (T < P.Threads.size()) {
    if (mayHang(P, T + 1, Waiting))
      return true;
    for (StatementId S = 0; S < P.Threads[T].Statements.size(); ++S)
      if (P.Threads[T].Statements[S].Op.Kind == OperationKind::Assume) {
        Program Ends = P;
        endAt(Ends.Threads[T], S);
        std::vector<const Operation *> More = Waiting;
        More.push_back(&P.Threads[T].Statements[S].Op);
        if (mayHang(Ends, T + 1, More))
          return true;
      }
    return false;
  }
  if (Waiting.empty())
    return false;
  explorer::Exploration All = explorer::explore(P, Model::Sc, {.Timeout = std::chrono::seconds(1)});
  return std::any_of(All.Outcomes.begin(), All.Outcomes.end(), [&](const explorer::Outcome &O) {
    return std::all_of(Waiting.begin(), Waiting.end(), [&](const Operation *Op) {
      return (O[Op->Local.Target] == Op->Constant) == Op->Negated;
    });
  });
}

} // namespace

std::string writeGlue(const Program &P, const Style &S, const Sources &Of) {
  Style Written = writableStyle(P, S);
  return Glue(P, Written).run(Of);
}

std::string sequentialOutcomes(const Program &P, const Style &S) {
  Program Code = P;
  if (S[Aspect::Waits] == "return")
    for (Thread &T : Code.Threads)
      endAtAssumptions(T);
  explorer::Exploration All = explorer::explore(Code, Model::Sc, {.Timeout = std::chrono::seconds(5)});
  std::string Out = All.TimedOut || All.Bounded ? "some" : "all";
  Out += S[Aspect::Waits] == "spin" && mayHang(P, 0, {}) ? ", or no end\n" : "\n";
  std::set<std::string> Lines;
  for (const explorer::Outcome &O : All.Outcomes) {
    std::string Line;
    for (ObjectId Id = 0; Id < P.Objects.size(); ++Id)
      if (!P.Objects[Id].Fresh)
        Line += (Line.empty() ? "" : " ") + P.Objects[Id].Name + "=" + std::to_string(O[Id]);
    Lines.insert(Line);
  }
  for (const std::string &Line : Lines)
    Out += Line + "\n";
  return Out;
}

} // namespace rdma::test
