#include "analyzer/tools/WitnessFormats.h"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace rdma {

using namespace explorer;

namespace {

class Printer {
public:
  Printer(const Program &P, const Witness &W, SourceLines &Source) : P(P), W(W), Source(Source) {}

  std::string text() {
    Out << "A run of it, step by step:\n";
    unsigned Number = 0;
    for (const WitnessStep &S : W.Steps)
      step(++Number, S);
    if (W.Cycle.empty())
      torn();
    else
      cycle();
    return Out.str();
  }

  std::string dot() {
    Out << "digraph \"" << escaped(P.Name) << "\" {\n  node [shape=box, fontname=\"monospace\"];\n";
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      column(T);
    const Recording &Run = *W.Run;
    for (unsigned A = 0; A < Run.Events.size(); ++A)
      for (unsigned B = 0; B < Run.Events.size(); ++B)
        if (auto E = Run.edge(A, B);
            E && isShown(A) && isShown(B) && (*E == Edge::Po ? isBroken(A, B) : isDirect(A, B, *E)))
          Out << "  e" << A << " -> e" << B << " [label=\"" << shortName(*E) << "\"" << style(*E) << "];\n";
    Out << "}\n";
    return Out.str();
  }

private:
  std::string quote(const Site &Where) const {
    const std::string *Found = Where.known() ? Source.line(Where.Chain.back()) : nullptr;
    if (!Found)
      return "";
    std::string Line = *Found;
    Line.erase(0, Line.find_first_not_of(" \t"));
    if (std::size_t Comment = Line.find("//"); Comment != std::string::npos)
      Line.erase(Comment);
    Line.erase(Line.find_last_not_of(" \t;") + 1);
    return Line;
  }

  const Site &siteOf(unsigned Event) const {
    const RecordedEvent &E = W.Run->Events[Event];
    return P.Threads[E.Thread].Statements[E.Statement].Where;
  }

  std::string place(const Site &Where) const {
    return Where.known() ? "line " + std::to_string(Where.Chain.back().Line) : "";
  }

  void step(unsigned Number, const WitnessStep &S) {
    Out << std::setw(4) << Number << "  thread " << P.Threads[S.Thread].Name << "  " << std::left
        << std::setw(9) << place(S.Where) << std::setw(34) << quote(S.Where) << std::right << S.What << "\n";
  }

  std::string effect(unsigned Event) const {
    const RecordedEvent &E = W.Run->Events[Event];
    return (E.Write ? "writes " : "reads ") + P.Objects[E.Location].Name;
  }

  std::string named(unsigned Event) const {
    return "`" + quote(siteOf(Event)) + "` (" + place(siteOf(Event)) + ") " + effect(Event);
  }

  void cycle() {
    Out << "Why no order of whole operations explains it:\n  " << named(W.Cycle[0].Event) << "\n";
    for (const CycleStep &S : W.Cycle) {
      unsigned Next = W.Cycle[(&S - W.Cycle.data() + 1) % W.Cycle.size()].Event;
      Out << "    before " << named(Next) << ": " << reason(S.ToNext) << "\n";
    }
    for (const CycleStep &S : W.Cycle) {
      unsigned Next = W.Cycle[(&S - W.Cycle.data() + 1) % W.Cycle.size()].Event;
      if (S.ToNext == Edge::Po && isBroken(S.Event, Next))
        Out << "Late: " << named(S.Event) << " only after " << named(Next) << "\n";
    }
  }

  void torn() {
    Out << "Why no order of whole operations explains it:\n";
    for (auto [By, Atomic] : W.Run->Torn)
      Out << "  " << named(By) << " between the read and the write of the remote atomic `"
          << quote(siteOf(Atomic)) << "` (" << place(siteOf(Atomic)) << ")\n";
  }

  static const char *reason(Edge E) {
    const char *Reasons[] = {"program order", "this read sees that write",
                             "that read does not see this write yet", "this write comes over that one"};
    return Reasons[static_cast<int>(E)];
  }

  void column(ThreadIndex T) {
    Out << "  subgraph cluster_" << T << " {\n    label=\"thread " << P.Threads[T].Name << "\";\n";
    unsigned Last = None;
    const auto &Events = W.Run->Events;
    for (unsigned E = 0; E < Events.size(); ++E) {
      if (Events[E].Thread != T || !isShown(E))
        continue;
      Out << "    e" << E << " [label=\"" << escaped(quote(siteOf(E))) << "\\n"
          << effect(E) << "\\nstep " << Events[E].Time << "\"];\n";
      if (Last != None)
        Out << "    e" << Last << " -> e" << E << " [style=dotted, weight=10];\n";
      Last = E;
    }
    Out << "  }\n";
  }

  static std::string escaped(const std::string &Text) {
    std::string Result;
    for (char C : Text)
      Result += C == '"' || C == '\\' ? std::string("\\") + C : std::string(1, C);
    return Result;
  }

  /// Memory of one operation alone tells nothing.
  bool isShown(unsigned Event) const {
    ObjectId Location = W.Run->Events[Event].Location;
    return Location != None && !P.Objects[Location].Fresh;
  }
  bool isBroken(unsigned A, unsigned B) const {
    return W.Run->Events[A].Time > W.Run->Events[B].Time && onCycle(A) && onCycle(B);
  }
  bool onCycle(unsigned Event) const {
    return std::any_of(W.Cycle.begin(), W.Cycle.end(), [&](const CycleStep &S) { return S.Event == Event; });
  }
  /// Not implied by two others of mo and rb.
  bool isDirect(unsigned A, unsigned B, Edge E) const {
    if (E == Edge::Rf)
      return true;
    const auto &Order = W.Run->MemoryOrder[W.Run->Events[A].Location];
    auto At = std::find(Order.begin(), Order.end(), B);
    unsigned From = E == Edge::Mo ? A : W.Run->ReadsFrom[A];
    return From == None ? At == Order.begin() : At != Order.begin() && *(At - 1) == From;
  }
  static const char *shortName(Edge E) {
    const char *Names[] = {"po", "rf", "rb", "mo"};
    return Names[static_cast<int>(E)];
  }
  static const char *style(Edge E) {
    const char *Styles[] = {", color=red, fontcolor=red", ", color=darkgreen, fontcolor=darkgreen",
                            ", color=blue, fontcolor=blue", ", color=brown, fontcolor=brown"};
    return Styles[static_cast<int>(E)];
  }

  const Program &P;
  const Witness &W;
  SourceLines &Source;
  std::ostringstream Out;
};

} // namespace

std::string asText(const Program &P, const Witness &W, SourceLines &Source) {
  return Printer(P, W, Source).text();
}

std::string asDot(const Program &P, const Witness &W, SourceLines &Source) {
  return Printer(P, W, Source).dot();
}

} // namespace rdma
