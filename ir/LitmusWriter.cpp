#include "ir/Litmus.h"
#include "ir/LitmusNames.h"
#include "ir/Structure.h"
#include "ir/Ways.h"

#include <algorithm>
#include <map>
#include <set>

namespace rdma {
namespace {

using enum OperationKind;

class Writer {
public:
  explicit Writer(const Program &P) : P(P), Names(P) {
    nameFacts();
    nameQueuePairs();
  }

  std::string write(const std::vector<Assertion> &Assertions) {
    std::string Threads;
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      Threads += thread(T);
    std::string Text =
        "litmus \"" + P.Name + "\"\n\n" + nodes() + open() + queues() + unknown() + facts() + "\n" + Threads;
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
      for (const std::string &Location : Names.declarations()[N])
        Text += " " + Location + ";";
      Text += " }" + comment(P.Nodes, N) + "\n";
    }
    return Text;
  }

  /// What any node may access at any time.
  std::string open() const {
    if (!P.OpenWorld)
      return "";
    std::string Text;
    for (const std::string &Name : Names.remote())
      Text += (Text.empty() ? " " : ", ") + Name;
    return "open" + Text + ";\n";
  }

  /// What keeps the program from being called robust, whatever its statements are.
  std::string unknown() const {
    std::string Text;
    for (const Remark &R : P.Remarks)
      if (!R.Covered)
        Text += "remark \"" + quoted(R.Text.text()) + "\";\n";
    if (!P.Closed && !P.OpenWorld)
      Text += "others unknown;\n";
    return Text;
  }
  /// What was lost, and may order what is not proved.
  std::string facts() const {
    std::string Text;
    for (const auto &[Id, Name] : FactNames) {
      const LostFact &F = P.LostFacts[Id];
      Text += "lost " + Name + " \"" + quoted(F.Text.text()) + "\"";
      Text += F.Tell.empty() ? "" : " tell \"" + quoted(F.Tell.text()) + "\"";
      Text += F.Queue == None ? "" : " queue " + QueueNames.at(F.Queue);
      Text += std::string(F.Everything ? " anything" : "") + (F.Beside ? " beside" : "") +
              (F.Joins ? " joins" : "") + (F.Throws ? " throws" : "") + (F.Last ? " last" : "") +
              (F.Looks ? " looks" : "") + ";\n";
    }
    return Text;
  }
  static std::string quoted(std::string Text) {
    std::replace(Text.begin(), Text.end(), '"', '\'');
    std::replace(Text.begin(), Text.end(), '\n', ' ');
    return Text;
  }

  void nameFacts() {
    auto name = [&](LostFactId Id) {
      if (Id != None && !FactNames.contains(Id))
        FactNames.emplace(Id, Names.unique("fact" + std::to_string(FactNames.size() + 1)));
    };
    for (const QueuePair &Q : P.QueuePairs)
      name(Q.NoQueue);
    for (const Thread &T : P.Threads)
      for (const Statement &S : T.Statements)
        name(S.Lost);
  }

  /// Queue pairs go without a name where their target tells them apart and their completions are their own.
  void nameQueuePairs() {
    std::map<CompletionQueueId, std::set<ThreadIndex>> Users;
    std::map<CompletionQueueId, unsigned> Reports;
    std::map<std::pair<ThreadIndex, NodeId>, unsigned> Alike;
    for (const QueuePair &Q : P.QueuePairs) {
      Users[Q.Queue].insert(Q.Owner);
      ++Reports[Q.Queue];
      ++Alike[{Q.Owner, Q.Target}];
    }
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      for (const Statement &S : P.Threads[T].Statements)
        if (S.Op.Kind == Poll && Reports.contains(S.Op.Queue))
          Users[S.Op.Queue].insert(T);
    for (auto [Queue, Count] : Reports)
      if (Count > 1 || Users[Queue].size() > 1)
        nameQueue(Queue);
    for (const auto &[Id, Name] : FactNames)
      nameQueue(P.LostFacts[Id].Queue);
    for (const QueuePair &Q : P.QueuePairs) {
      bool Plain = Alike[{Q.Owner, Q.Target}] == 1 && Q.Queue != None && !QueueNames.contains(Q.Queue) &&
                   Q.Shared == None;
      PairNames.push_back(Plain && P.Closed ? "" : nameOf(Q));
    }
  }
  void nameQueue(CompletionQueueId Queue) {
    if (Queue != None && !QueueNames.contains(Queue))
      QueueNames.emplace(Queue, Names.unique("cq" + std::to_string(QueueNames.size() + 1)));
  }
  /// Names are a thread's own. Without a topology threads share a queue pair where they share its name.
  std::string nameOf(const QueuePair &Q) {
    auto [Known, New] = PairsNamed.try_emplace(Q.Name);
    if (New)
      Known->second.Name = Names.unique(Q.Name.empty() ? "q" : Q.Name);
    return Known->second.Owners.insert(Q.Owner).second ? Known->second.Name : Names.unique(Q.Name);
  }

  std::string queues() const {
    std::string Text;
    for (const auto &[Queue, Name] : QueueNames)
      Text += "queue " + Name + ";\n";
    return Text;
  }

  std::string pairs() const {
    std::string Text;
    for (QueuePairId Id = 0; Id < P.QueuePairs.size(); ++Id) {
      const QueuePair &Q = P.QueuePairs[Id];
      if (Q.Owner != Current || PairNames[Id].empty())
        continue;
      Text += "  pair " + PairNames[Id] + " -> " + node(Q.Target);
      if (Q.Queue == None)
        Text += " queue unknown" + lost(Q.NoQueue);
      else if (auto Named = QueueNames.find(Q.Queue); Named != QueueNames.end())
        Text += " queue " + Named->second;
      if (Q.Shared != None)
        Text += " shared " + std::to_string(Q.Shared);
      Text += ";\n";
    }
    return Text;
  }

  std::string thread(ThreadIndex Index) {
    const Thread &T = P.Threads[Index];
    Current = Index;
    std::string Text =
        "thread " + number(P.Threads, Index) + " @ " + node(T.Home) + (T.Many ? " many {" : " {");
    return Text + comment(P.Threads, Index) + "\n" + pairs() + shown() + block(structure(T), 1) + "}\n";
  }

  std::string block(const StructuredPtr &E, unsigned Depth) {
    std::string Indent(2 * Depth, ' '), Text;
    switch (E->What) {
    case Structured::Kind::Statement:
      return statement(P.Threads[Current].Statements[E->Id], Indent);
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
      return "unknown";
    std::string Text;
    for (const Term &T : *Value) {
      Text += T.Sign < 0 ? (Text.empty() ? "-" : " - ") : (Text.empty() ? "" : " + ");
      Text += T.IsConstant ? std::to_string(T.Constant) : Names[T.Location];
    }
    return Text.empty() ? "0" : Text;
  }

  std::string scratch() { return Names.fresh(P.Threads[Current].Home, "r"); }
  std::string target(QueuePairId Pair) const {
    return PairNames[Pair].empty() ? node(P.QueuePairs[Pair].Target) : PairNames[Pair];
  }
  std::string workId(WorkId Id) const {
    std::string Name = P.WorkIds[Id].substr(P.WorkIds[Id].rfind(':') + 1);
    return isdigit(Name.front()) ? "w" + Name : Name;
  }

  std::string lost(LostFactId Fact) const { return Fact == None ? "" : " lost " + FactNames.at(Fact); }
  static std::string outcome(const Operation &Op) {
    constexpr const char *Words[] = {"", " succeeds", " fails"};
    return Words[static_cast<unsigned>(Op.Success)];
  }

  std::string suffix(const Operation &Op) const {
    std::string Text = PairNames[Op.Pair].empty() ? "" : " via " + PairNames[Op.Pair];
    Text += Op.Id == None ? "" : " #" + workId(Op.Id) + (Op.Counted ? " counted" : "");
    Text += Op.Heard == None ? "" : " heard " + workId(Op.Heard);
    Text += Op.Unsignaled ? " unsignaled" : "";
    Text += Op.Inline ? " inline" : "";
    Text += Op.Fenced ? " fenced" : "";
    if (Op.RemoteAt != None)
      Text += " somewhere " + std::to_string(Op.RemoteAt) + (Op.RemoteMoves ? " moves" : "");
    return Text;
  }

  std::string localCas(const Operation &Op) {
    std::string Result = Op.Result.valid() ? Names[Op.Result] : scratch();
    return Result + " := cas(" + Names[Op.Local] + ", " + expression(Op.Value) + ", " +
           expression(Op.Desired) + ")" + outcome(Op);
  }

  std::string put(const Operation &Op) {
    const Object &Source = P.Objects[Op.Local.Target];
    std::string From = Source.Fresh ? std::to_string(Source.Initial) : Names[Op.Local];
    return "put " + Names[Op.Remote] + " <- " + From + suffix(Op);
  }

  std::string atomic(const Operation &Op) {
    std::string Operands = expression(Op.Value) + (Op.Kind == RemoteCas ? ", " + expression(Op.Desired) : "");
    return (Op.Kind == RemoteCas ? "rcas " : "rfaa ") + Names[Op.Local] + " <- " + Names[Op.Remote] + " (" +
           Operands + ")" + suffix(Op) + outcome(Op);
  }

  /// A queue that no queue pair is known to report to is any: such a poll says nothing.
  std::string poll(const Operation &Op, const std::string &Indent) {
    std::string Polled;
    if (auto Named = QueueNames.find(Op.Queue); Named != QueueNames.end())
      Polled = Named->second;
    for (QueuePairId Id = 0; Polled.empty() && Op.Queue != None && Id < P.QueuePairs.size(); ++Id)
      if (P.QueuePairs[Id].Queue == Op.Queue)
        Polled = target(Id);
    std::string Text;
    for (unsigned I = 0; I < Op.Count; ++I)
      Text += Indent + "poll(" + (Polled.empty() ? "unknown" : Polled) + ");\n";
    return Text;
  }

  std::string statement(const Statement &S, const std::string &Indent) {
    if (S.Op.Kind == Nop)
      return S.Lost == None ? "" : Indent + "lost(" + FactNames.at(S.Lost) + ");\n";
    if (S.Op.Kind == Poll)
      return poll(S.Op, Indent);
    const bool Numbered = isShown(S.Source) || (S.Op.OneOf != None && S.Source != None) ||
                          postsElsewhere(P.Threads[Current], S) || asksAtTimes(P.Threads[Current], S);
    std::string Before = Numbered ? "at(" + std::to_string(S.Source) + ") " : "";
    std::string Clear;
    for (WorkId Id : S.ClearOf)
      Clear += (Clear.empty() ? "clear(" : ", ") + workId(Id);
    if (!Clear.empty())
      Clear += ") ";
    return Indent + Before + Clear + known(S.Op) + simple(S.Op) + lost(S.Lost) + ";\n";
  }
  /// What is known of an operation beside what it does.
  static std::string known(const Operation &Op) {
    const std::string One = Op.OneOf == None ? "" : "one(" + std::to_string(Op.OneOf) + ") ";
    return One + (Op.Unshown ? "unshown " : "");
  }
  bool isShown(unsigned Source) const {
    return Source != None && std::any_of(P.ShownOpen.begin(), P.ShownOpen.end(), [&](const SeenOpen &S) {
             return S.Thread == Current && (S.Request == Source || S.Access == Source);
           });
  }
  /// What an execution of the source has shown to come while a request is out.
  std::string shown() const {
    std::string Text;
    for (const SeenOpen &S : P.ShownOpen)
      if (S.Thread == Current)
        Text += "  shown(" + std::to_string(S.Request) + ", " + std::to_string(S.Access) + ");\n";
    return Text;
  }

  std::string simple(const Operation &Op) {
    switch (Op.Kind) {
    case Load:
      if (Op.Renewed != None)
        return "assume(" + Names[Op.Local] + " renewed " + std::to_string(Op.Renewed) +
               (Op.RenewedFrom ? ", " + std::to_string(*Op.RenewedFrom) : "") + ")";
      return scratch() + " := " + Names[Op.Local];
    case Store:
      return Op.Deregisters ? "dereg " + Names[Op.Local] : Names[Op.Local] + " := " + expression(Op.Value);
    case LocalCas:
      return localCas(Op);
    case LocalRmw:
      return scratch() + " := cas(" + Names[Op.Local] + ", " + Names[Op.Local] + ", " + expression(Op.Value) +
             ")";
    case MemoryFence:
      return "mfence";
    case Assume:
      return (Op.Awaits ? "await(" : "assume(") + Names[Op.Local] + (Op.Negated ? " != " : " == ") +
             std::to_string(Op.Constant) + ")";
    case Put:
      return put(Op);
    case Get:
      return (Op.Receives ? "receive " : "get ") + Names[Op.Local] + " <- " + Names[Op.Remote] + suffix(Op);
    case RemoteFence:
      return "rfence(" + target(Op.Pair) + ")";
    case Wait:
      return "wait(" + workId(Op.Id) + (Op.Constant ? ", " + std::to_string(Op.Constant) : "") + ")";
    default:
      return atomic(Op);
    }
  }

  const Program &P;
  litmus::LocationNames Names;
  std::vector<std::string> PairNames; ///< by queue pair; empty for those without
  std::map<CompletionQueueId, std::string> QueueNames;
  struct Named {
    std::string Name;
    std::set<ThreadIndex> Owners;
  };
  std::map<std::string, Named> PairsNamed;
  std::map<LostFactId, std::string> FactNames;
  ThreadIndex Current = 0;
};

} // namespace

std::string writeLitmus(const Program &P) { return Writer(P).write({}); }
std::string writeLitmus(const LitmusTest &Test) { return Writer(Test.Code).write(Test.Assertions); }

} // namespace rdma
