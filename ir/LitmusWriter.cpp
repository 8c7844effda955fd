#include "ir/Litmus.h"
#include "ir/LitmusNames.h"
#include "ir/Structure.h"

#include <algorithm>

namespace rdma {
namespace {

using enum OperationKind;

class Writer {
public:
  explicit Writer(const Program &P) : P(P), Names(P) {}

  std::string write(const std::vector<Assertion> &Assertions) {
    std::string Threads;
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      Threads += thread(T);
    std::string Text = "litmus \"" + P.Name + "\"\n\n" + nodes() + "\n" + Threads;
    if (!Assertions.empty())
      Text += "\n";
    for (const Assertion &A : Assertions)
      Text += A.Text + ";\n";
    return Text;
  }

private:
  static bool isNumber(const std::string &Name) {
    return !Name.empty() && Name.size() < 10 && Name.front() != '0' &&
           std::all_of(Name.begin(), Name.end(), [](char C) { return std::isdigit(C); });
  }
  /// Litmus names nodes and threads by positive numbers. Unless all of them have such names they are numbered
  /// through, and the names follow as a comment.
  template <class Named> static bool numbered(const std::vector<Named> &All) {
    return std::all_of(All.begin(), All.end(), [](const Named &N) { return isNumber(N.Name); });
  }
  template <class Named> static std::string number(const std::vector<Named> &All, unsigned Index) {
    return numbered(All) ? All[Index].Name : std::to_string(Index + 1);
  }
  template <class Named> static std::string comment(const std::vector<Named> &All, unsigned Index) {
    return numbered(All) ? "" : " // " + All[Index].Name;
  }
  std::string node(NodeId N) const { return number(P.Nodes, N); }

  std::string nodes() const {
    std::string Text;
    for (NodeId N = 0; N < P.Nodes.size(); ++N) {
      Text += "node " + node(N) + " {";
      for (const auto &D : Names.declarations()[N])
        Text += " " + D.Name + (D.Initial ? " = " + std::to_string(D.Initial) : "") + ";";
      Text += " }" + comment(P.Nodes, N) + "\n";
    }
    return Text;
  }

  std::string thread(ThreadIndex Index) {
    const Thread &T = P.Threads[Index];
    Current = Index;
    std::string Text =
        "thread " + number(P.Threads, Index) + " @ " + node(T.Home) + " {" + comment(P.Threads, Index);
    Text += T.Many ? ", any number of them\n" : "\n";
    return Text + block(structure(T), 1) + "}\n";
  }

  std::string block(const StructuredPtr &E, unsigned Depth) {
    std::string Indent(2 * Depth, ' '), Text;
    switch (E->What) {
    case Structured::Kind::Statement:
      return statement(P.Threads[Current].Statements[E->Id].Op, Indent);
    case Structured::Kind::Sequence:
      for (const StructuredPtr &Part : E->Parts)
        Text += block(Part, Depth);
      return Text;
    case Structured::Kind::Loop:
      return Indent + "loop {\n" + block(E->Parts[0], Depth + 1) + Indent + "}\n";
    case Structured::Kind::Choice:
      for (const StructuredPtr &Part : E->Parts)
        Text += (Text.empty() ? Indent + "choose {\n" : " or {\n") + block(Part, Depth + 1) + Indent + "}";
      return Text + "\n";
    }
    return Text;
  }

  std::string expression(const std::optional<Expression> &Value) {
    if (!Value)
      return std::to_string(++Unknown);
    std::string Text;
    for (const Term &T : *Value) {
      Text += T.Sign < 0 ? (Text.empty() ? "-" : " - ") : (Text.empty() ? "" : " + ");
      Text += T.IsConstant ? std::to_string(T.Constant) : Names[T.Location];
    }
    return Text.empty() ? "0" : Text;
  }

  std::string scratch() { return Names.fresh(P.Threads[Current].Home, "r"); }
  std::string target(QueuePairId Pair) const { return node(P.QueuePairs[Pair].Target); }
  std::string workId(WorkId Id) const { return P.WorkIds[Id].substr(P.WorkIds[Id].rfind(':') + 1); }

  std::string suffix(const Operation &Op) const {
    std::string Text = Op.Id == None ? "" : " #" + workId(Op.Id);
    Text += Op.Unsignaled ? " unsignaled" : "";
    Text += Op.Inline ? " inline" : "";
    return Text + (Op.Fenced ? " fenced" : "");
  }

  std::string localCas(const Operation &Op) {
    std::string Result = Op.Result.valid() ? Names[Op.Result] : scratch();
    return Result + " := cas(" + Names[Op.Local] + ", " + expression(Op.Value) + ", " +
           expression(Op.Desired) + ")";
  }

  std::string put(const Operation &Op) {
    const Object &Source = P.Objects[Op.Local.Target];
    std::string From = Source.Fresh ? std::to_string(Source.Initial) : Names[Op.Local];
    return "put " + Names[Op.Remote] + " <- " + From + suffix(Op);
  }

  std::string atomic(const Operation &Op) {
    std::string Operands = expression(Op.Value) + (Op.Kind == RemoteCas ? ", " + expression(Op.Desired) : "");
    return (Op.Kind == RemoteCas ? "rcas " : "rfaa ") + Names[Op.Local] + " <- " + Names[Op.Remote] + " (" +
           Operands + ")" + suffix(Op);
  }

  /// A poll of a completion queue that several queue pairs share takes the completion of one of them.
  std::string poll(const Operation &Op, const std::string &Indent) {
    std::vector<std::string> Targets;
    for (const QueuePair &Q : P.QueuePairs)
      if (Q.Owner == Current && Q.Queue == Op.Queue)
        Targets.push_back(node(Q.Target));
    std::string Once;
    for (const std::string &Target : Targets) {
      std::string Line = "poll(" + Target + ");";
      if (Targets.size() > 1)
        Line = (Once.empty() ? "choose { " : " or { ") + Line + " }";
      Once += Line;
    }
    std::string Text;
    for (unsigned I = 0; I < Op.Count && !Once.empty(); ++I)
      Text += Indent + Once + "\n";
    return Text;
  }

  std::string statement(const Operation &Op, const std::string &Indent) {
    if (Op.Kind == Nop)
      return "";
    if (Op.Kind == Poll)
      return poll(Op, Indent);
    return Indent + simple(Op) + ";\n";
  }

  std::string simple(const Operation &Op) {
    switch (Op.Kind) {
    case Load:
      return scratch() + " := " + Names[Op.Local];
    case Store:
      return Names[Op.Local] + " := " + expression(Op.Value);
    case LocalCas:
      return localCas(Op);
    case LocalRmw:
      return scratch() + " := cas(" + Names[Op.Local] + ", " + Names[Op.Local] + ", " + expression(Op.Value) +
             ")";
    case MemoryFence:
      return "mfence";
    case Assume:
      return "assume(" + Names[Op.Local] + (Op.Negated ? " != " : " == ") + std::to_string(Op.Constant) + ")";
    case Put:
      return put(Op);
    case Get:
      return "get " + Names[Op.Local] + " <- " + Names[Op.Remote] + suffix(Op);
    case RemoteFence:
      return "rfence(" + target(Op.Pair) + ")";
    case Wait:
      return "wait(" + workId(Op.Id) + ")";
    default:
      return atomic(Op);
    }
  }

  const Program &P;
  litmus::LocationNames Names;
  ThreadIndex Current = 0;
  std::int64_t Unknown = 0;
};

} // namespace

std::string writeLitmus(const Program &P) { return Writer(P).write({}); }
std::string writeLitmus(const LitmusTest &Test) { return Writer(Test.Code).write(Test.Assertions); }

} // namespace rdma
