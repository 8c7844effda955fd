#include "LoopText.h"

#include "LoopNames.h"
#include "PollText.h"

#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <utility>

namespace rdma::test {
namespace {

using Kind = LoopStatement::Kind;

void forEach(const LoopExpr &E, const std::function<void(const LoopExpr &)> &Do) {
  Do(E);
  for (const LoopExpr &Part : E.Parts)
    forEach(Part, Do);
}

void forEach(const LoopBlock &Block, const std::function<void(const LoopStatement &)> &Do) {
  for (const LoopStatement &S : Block) {
    Do(S);
    forEach(S.Then, Do);
    forEach(S.Each, Do);
  }
}

/// The name in a parameter's declaration.
std::string nameIn(const std::string &Parameter) {
  return Parameter.substr(Parameter.find_last_of(" *&") + 1);
}

std::string joined(const std::vector<std::string> &All, const char *Empty) {
  std::string Out;
  for (const std::string &One : All)
    Out += (Out.empty() ? "" : ", ") + One;
  return Out.empty() ? Empty : Out;
}

class Writer : private LoopNames {
public:
  Writer(const LoopProgram &P, const Style &S, std::uint64_t Seed) : LoopNames(P, S), Random(Seed) {}

  Sources run() {
    Leave = "{ " + buffersFreed() + (fromCommandLine() && !isObject() ? "return 0; }" : "return; }");
    const std::string Body = block(P.Body);
    const std::string Extension = S.cpp() ? ".cpp" : ".c";
    Sources Out;
    Out.Files = {"case" + Extension};
    Out.Texts["case" + Extension] =
        includes(S) + types() + globals() + (isObject() ? "" : Functions) + entry(Body);
    Out.Topology = topology();
    return Out;
  }

private:
  Request request(const LoopStatement &St) const {
    const LoopRequest &Of = St.Request;
    Request R;
    R.End = access(St.End);
    R.Object = end(St.End);
    R.Opcode = Of.Get ? "IBV_WR_RDMA_READ" : "IBV_WR_RDMA_WRITE";
    R.Local = "(void *)&" + slot(Of.Buffer, Of.Slot);
    R.Remote = R.End + "far";
    R.Flags = Of.Signaled.isNumber(1)   ? "IBV_SEND_SIGNALED"
              : Of.Signaled.isNumber(0) ? "0"
                                        : "(" + text(Of.Signaled) + " ? IBV_SEND_SIGNALED : 0)";
    R.Flags += Of.Inline ? " | IBV_SEND_INLINE" : "";
    R.Id = "(uint64_t)(" + text(Of.Id) + ")";
    return R;
  }

  // Statements.
  std::string block(const LoopBlock &Block) {
    std::string Out;
    for (const LoopStatement &St : Block)
      Out += mayStandApart(St) ? apart(St) : statement(St);
    return Out;
  }

  std::string statement(const LoopStatement &St) {
    switch (St.What) {
    case Kind::Set:
      return set(St);
    case Kind::Write:
      return word(St.Variable, St.Value) + " = (uint64_t)rand();\n";
    case Kind::Read:
      return "total += " + word(St.Variable, St.Value) + ";\n";
    case Kind::Post:
      return Post.post(request(St), failing());
    case Kind::List:
      return "{\n" + type() + " " + Names[St.Variable] + " = 0;\n" +
             Post.listInLoop(request(St), Names[St.Variable], text(St.Value), std::to_string(St.Most),
                             failing()) +
             "}\n";
    case Kind::Poll:
      return poll(St);
    case Kind::Take:
      return pollText(S, queue(St.End), 1);
    case Kind::If:
      return "if (" + text(St.Value) + ") {\n" + block(St.Then) +
             (St.Each.empty() ? "}\n" : "} else {\n" + block(St.Each) + "}\n");
    case Kind::While:
      return loop("", text(St.Value), "", St.Then);
    case Kind::For: {
      const std::string &I = Names[St.Variable];
      return loop(type() + " " + I + " = 0", I + " < " + text(St.Value), I + "++", St.Then);
    }
    case Kind::Break:
      return Breaks.empty() ? "break;\n" : "goto " + Breaks + ";\n";
    case Kind::Leave:
      return Leave + "\n";
    }
    return "";
  }

  std::string failing() const { return Apart ? "abort();" : Leave; }

  std::string set(const LoopStatement &St) const {
    const std::string To = text(St.Place);
    const LoopExpr &V = St.Value;
    if (V.What != LoopExpr::Kind::Binary || text(V.Parts[0]) != To || (V.Op != "+" && V.Op != "-"))
      return To + " = " + text(V) + ";\n";
    if (V.Parts[1].isNumber(1))
      return To + (V.Op == "+" ? "++" : "--") + ";\n";
    return To + " " + V.Op + "= " + text(V.Parts[1]) + ";\n";
  }

  std::string poll(const LoopStatement &St) {
    const std::string_view Results = S[Aspect::Results];
    const std::string Check = Results == "checked" ? "if (n < 0) abort();\n" : "";
    std::string Before =
        "{\n" + structure("ibv_wc") + (St.Most > 1 ? " wc[" + std::to_string(St.Most) + "];\n" : " wc;\n");
    Before += "int n = ibv_poll_cq(" + queue(St.End) + ", " + std::to_string(St.Most) + ", " +
              (St.Most > 1 ? "wc" : "&wc") + ");\n" + Check;
    std::string Outer = std::exchange(Completion, St.Most > 1 ? "wc[k]" : "wc");
    std::string Each =
        (Results == "taken for good" ? "" : "if (" + Completion + ".status != IBV_WC_SUCCESS) abort();\n") +
        block(St.Each);
    Completion = Outer;
    // Who adds up results, and never asks whether a poll failed, asks at most whether there are none.
    const std::string Some = Check.empty() && !St.Then.empty() ? "n != 0" : "n > 0";
    if (!Each.empty())
      Each = (St.Most > 1 ? "for (int k = 0; k < n; k++) {\n" : "if (" + Some + ") {\n") + Each + "}\n";
    return Before + Each + block(St.Then) + "}\n";
  }

  std::string loop(const std::string &First, const std::string &While, const std::string &Next,
                   const LoopBlock &Of) {
    std::string_view Way = S[Aspect::Loops];
    if (Way == "goto")
      return labelled(First, While, Next, Of);
    std::string Outer = std::exchange(Breaks, "");
    const std::string Body = block(Of), Step = Next.empty() ? "" : Next + ";\n";
    Breaks = Outer;
    const std::string Open = First.empty() ? "" : "{\n" + First + ";\n", Close = First.empty() ? "" : "}\n";
    if (Way == "while" || (Way == "plain" && First.empty()))
      return Open + "while (" + While + ") {\n" + Body + Step + "}\n" + Close;
    if (Way == "do")
      return Open + "if (" + While + ") do {\n" + Body + Step + "} while (" + While + ");\n" + Close;
    if (Way == "forever")
      return "for (" + First + ";; " + Next + ") {\nif (!(" + While + ")) break;\n" + Body + "}\n";
    return "for (" + First + "; " + While + "; " + Next + ") {\n" + Body + "}\n";
  }

  std::string labelled(const std::string &First, const std::string &While, const std::string &Next,
                       const LoopBlock &Of) {
    const std::string Number = std::to_string(++Labels), Again = "again" + Number, Done = "done" + Number;
    std::string Outer = std::exchange(Breaks, Done);
    const std::string Body = block(Of);
    Breaks = Outer;
    return "{\n" + (First.empty() ? "" : First + ";\n") + Again + ":\nif (!(" + While + ")) goto " + Done +
           ";\n{\n" + Body + "}\n" + (Next.empty() ? "" : Next + ";\n") + "goto " + Again + ";\n" + Done +
           ":;\n}\n";
  }

  // Functions.
  bool mayStandApart(const LoopStatement &St) {
    if (S[Aspect::Parts] == "inline" || Apart || !Completion.empty())
      return false;
    if (St.What != Kind::Poll && St.What != Kind::While && St.What != Kind::For)
      return false;
    bool Stays = false, Posts = false;
    forEach({St}, [&](const LoopStatement &In) {
      Stays |= In.What == Kind::Break || In.What == Kind::Leave;
      Posts |= In.What == Kind::Post;
    });
    return !Stays && Random() % (Posts ? 4 : 2) != 0;
  }

  std::string apart(const LoopStatement &St) {
    const std::string Name = (St.What == Kind::Poll    ? "reap"
                              : St.What == Kind::While ? "wait_for_room"
                                                       : "go_on") +
                             std::to_string(++Parts);
    std::string Breaks = std::exchange(this->Breaks, "");
    Apart = true;
    std::string Call;
    if (S[Aspect::Parts] == "lambdas") {
      Call = "auto " + Name + " = [&] {\n" + statement(St) + "};\n" + Name + "();\n";
      Call = "{\n" + Call + "}\n";
    } else {
      Call = function(Name, St);
    }
    Apart = false;
    this->Breaks = Breaks;
    return Call;
  }

  /// What a statement uses, as parameters and what they are given.
  std::string function(const std::string &Name, const LoopStatement &St) {
    std::vector<std::string> Formal, Actual;
    auto give = [&](const std::string &Parameter, const std::string &Value) {
      if (std::find(Formal.begin(), Formal.end(), Parameter) == Formal.end())
        Formal.push_back(Parameter), Actual.push_back(Value);
    };
    if (!isObject()) {
      for (const std::string &Parameter : endParameters())
        give(Parameter, nameIn(Parameter));
      if (inState())
        give("struct state *s", "s");
    }
    const std::vector<std::string> Outer = Names;
    std::set<unsigned> Own;
    forEach({St}, [&](const LoopStatement &In) {
      if (In.What == Kind::For || In.What == Kind::List)
        Own.insert(In.Variable);
    });
    auto use = [&](const LoopExpr &E) {
      forEach(E, [&](const LoopExpr &Of) {
        if (Of.What != LoopExpr::Kind::Variable && Of.What != LoopExpr::Kind::Element)
          return;
        if (const unsigned V = Of.Variable; isLocal(V) && !Own.count(V) && Names[V] == Outer[V])
          handOn(V, give);
      });
    };
    auto useBuffer = [&](unsigned B) {
      if (localBuffers())
        give(bufferParameter(B), P.Buffers[B].Name);
    };
    forEach({St}, [&](const LoopStatement &In) {
      for (const LoopExpr *E : {&In.Place, &In.Value, &In.End})
        use(*E);
      if (In.What == Kind::Post || In.What == Kind::List) {
        for (const LoopExpr *E : {&In.Request.Slot, &In.Request.Id, &In.Request.Signaled})
          use(*E);
        useBuffer(In.Request.Buffer);
      }
      if (In.What == Kind::Write || In.What == Kind::Read)
        useBuffer(In.Variable);
    });
    Functions += (isObject() ? "void " : "static void ") + Name + "(" +
                 joined(Formal, S.cpp() ? "" : "void") + ") {\n" + Post.locals() + statement(St) + "}\n";
    Names = Outer;
    return Name + "(" + joined(Actual, "") + ");\n";
  }

  /// Integers that change are handed on by pointer or reference, others by value.
  void handOn(unsigned V, const std::function<void(const std::string &, const std::string &)> &Give) {
    const std::string Plain = P.Variables[V].Name;
    if (P.Variables[V].Counts || V == P.Rounds)
      Give(type() + " " + Plain, Plain);
    else if (P.Variables[V].Elements)
      Give(type() + " *" + Plain, Plain);
    else if (S.cpp())
      Give(type() + " &" + Plain, Plain);
    else {
      Give(type() + " *" + Plain, "&" + Plain);
      Names[V] = "(*" + Plain + ")";
    }
  }

  std::string entry(const std::string &Body) const {
    std::vector<std::string> Formal = endParameters();
    if (S[Aspect::Buffers] == "given")
      for (unsigned B = 0; B < P.Buffers.size(); ++B)
        Formal.push_back(givenBuffer(B));
    if (!isConstant())
      Formal.push_back(type() + " count");
    std::string Whole = stateLocals() + Post.locals() + Body;
    if (S[Aspect::Control] == "exceptions")
      Whole = "try {\n" + Whole + "} catch (int) {\nabort();\n}\n";
    Whole = bufferLocals() + Whole + buffersFreed();
    if (isObject())
      return object(Whole, Formal);
    const std::string Start = S.cpp() ? "extern \"C\" void run(" : "void run(";
    if (!fromCommandLine())
      return Start + joined(Formal, "void") + ") {\n" + Whole + "}\n";
    return "int main(int argc, char **argv) {\nif (argc < 2) return 1;\nconnect_all(argv);\n" + type() +
           " count = (" + type() + ")atol(argv[1]);\n" + Whole + "return 0;\n}\n";
  }

  /// A class with the counters, the connections and what uses them.
  std::string object(const std::string &Whole, std::vector<std::string> Formal) const {
    std::string Members = variables(""), Given, Values;
    for (const std::string &Parameter : endParameters()) {
      Members += "  " + Parameter + ";\n";
      Formal.erase(Formal.begin());
      Given += "w." + nameIn(Parameter) + " = " + nameIn(Parameter) + ";\n";
    }
    for (const std::string &Parameter : Formal)
      Values += (Values.empty() ? "" : ", ") + nameIn(Parameter);
    const std::string Class =
        "struct worker {\n" + Members + Functions + "void work(" + joined(Formal, "") + ") {\n";
    const std::string Run = "worker w;\n" + Given + "w.work(" + Values + ");\n";
    if (!fromCommandLine()) {
      std::vector<std::string> All = endParameters();
      All.insert(All.end(), Formal.begin(), Formal.end());
      return Class + Whole + "}\n};\nextern \"C\" void run(" + joined(All, "") + ") {\n" + Run + "}\n";
    }
    return Class + Whole +
           "}\n};\nint main(int argc, char **argv) {\nif (argc < 2) return 1;\nconnect_all(argv);\n" +
           type() + " count = (" + type() + ")atol(argv[1]);\n" + Run + "}\n";
  }

  std::mt19937_64 Random;
  std::string Functions, Leave;
  std::string Breaks; ///< the label behind the loop around; empty: `break` leaves it
  bool Apart = false; ///< in a function of its own
  unsigned Labels = 0, Parts = 0;
};

} // namespace

LoopForm formOf(const Style &S) {
  LoopForm F;
  F.Constant = S[Aspect::Bounds] == "constant";
  F.BuffersEnd =
      S[Aspect::Buffers] == "stack" || S[Aspect::Buffers] == "calloc" || S[Aspect::Buffers] == "std::vector";
  F.Bits = S[Aspect::Integers] == "int" || S[Aspect::Integers] == "unsigned" ? 32 : 64;
  F.Unsigned = S[Aspect::Integers] == "unsigned" || S[Aspect::Integers] == "uint64_t";
  return F;
}

Sources writeLoops(const LoopProgram &P, const Style &S, std::uint64_t Seed) {
  return Writer(P, S, Seed).run();
}

} // namespace rdma::test
