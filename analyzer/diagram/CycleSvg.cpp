#include "analyzer/diagram/Xml.h"

#include <algorithm>
#include <map>

namespace rdma {
namespace {

constexpr int BoxWidth = 300, BoxHeight = 52, ColumnGap = 150, RowGap = 56, Top = 40, Left = 10;

class Drawer {
public:
  Drawer(const CycleDrawing &C, SourceLines &Sources, const LinkTo &Link)
      : C(C), Sources(Sources), Link(Link) {
    std::map<std::string, std::vector<unsigned>> ByThread;
    for (unsigned I = 0; I < C.Nodes.size(); ++I) {
      if (!ByThread.count(C.Nodes[I].Thread))
        Threads.push_back(C.Nodes[I].Thread);
      ByThread[C.Nodes[I].Thread].push_back(I);
    }
    Spots.resize(C.Nodes.size());
    for (unsigned Column = 0; Column < Threads.size(); ++Column) {
      std::vector<unsigned> &Nodes = ByThread[Threads[Column]];
      std::stable_sort(Nodes.begin(), Nodes.end(),
                       [&](unsigned A, unsigned B) { return C.Nodes[A].Order < C.Nodes[B].Order; });
      for (unsigned Row = 0; Row < Nodes.size(); ++Row)
        Spots[Nodes[Row]] = {Left + static_cast<int>(Column) * (BoxWidth + ColumnGap),
                             Top + static_cast<int>(Row) * (BoxHeight + RowGap)};
      Rows = std::max<std::size_t>(Rows, Nodes.size());
    }
  }

  std::string run() {
    int Width = Left * 2 + static_cast<int>(Threads.size()) * (BoxWidth + ColumnGap);
    int Height = Top + static_cast<int>(Rows) * (BoxHeight + RowGap);
    std::string Out = svgHead(Width, Height, "cycle", "why no order explains it");
    for (unsigned Column = 0; Column < Threads.size(); ++Column)
      Out += textAt(Left + static_cast<int>(Column) * (BoxWidth + ColumnGap), 20, "node",
                    "thread " + Threads[Column]);
    for (unsigned I = 0; I < C.Nodes.size(); ++I)
      edge(Out, I);
    for (unsigned I = 0; I < C.Nodes.size(); ++I)
      box(Out, I);
    return Out + "</svg>\n";
  }

private:
  struct Spot {
    int X, Y;
  };

  std::string quote(const Place &At) {
    const std::string *Line = Sources.line(At);
    if (!Line)
      return "";
    std::string Text = *Line;
    Text.erase(0, Text.find_first_not_of(" \t"));
    return shortened(Text, 38);
  }

  void box(std::string &Out, unsigned I) {
    auto [X, Y] = Spots[I];
    const CycleNode &N = C.Nodes[I];
    std::string Inside = "<rect x=\"" + number(X) + "\" y=\"" + number(Y) + "\" width=\"" + number(BoxWidth) +
                         "\" height=\"" + number(BoxHeight) + "\" rx=\"4\" class=\"box\"/>";
    Inside += textAt(X + 8, Y + 20, "source", quote(N.At));
    Inside += textAt(X + 8, Y + 40, "words", N.Text + "  ");
    Inside += textAt(X + BoxWidth - 110, Y + 40, "place", shortPlace(N.At));
    Out += linked(N.At, Link, Inside) + "\n";
  }

  /// From the side of one box that faces the other to its side that faces the first.
  void edge(std::string &Out, unsigned I) const {
    Spot A = Spots[I], B = Spots[(I + 1) % Spots.size()];
    const CycleEdge &E = C.Edges[I];
    int X1, Y1, X2, Y2;
    if (A.X == B.X) {
      // Both ways between two boxes of one column stand beside one another.
      int Shift = A.Y < B.Y ? -100 : 70;
      X1 = X2 = A.X + BoxWidth / 2 + Shift;
      Y1 = A.Y < B.Y ? A.Y + BoxHeight : A.Y;
      Y2 = A.Y < B.Y ? B.Y : B.Y + BoxHeight;
    } else {
      X1 = A.X < B.X ? A.X + BoxWidth : A.X;
      X2 = A.X < B.X ? B.X : B.X + BoxWidth;
      int Shift = A.X < B.X ? -10 : 10;
      Y1 = A.Y + BoxHeight / 2 + Shift;
      Y2 = B.Y + BoxHeight / 2 + Shift;
    }
    Out += line(X1, Y1, X2, Y2, E.Broken ? "edge broken" : "edge");
    int Side = A.X == B.X ? 6 : -static_cast<int>(E.Text.size()) * 3;
    Out += textAt((X1 + X2) / 2 + Side, (Y1 + Y2) / 2 - (A.X == B.X ? 0 : 5),
                  E.Broken ? "label late" : "label", E.Text) +
           "\n";
  }

  const CycleDrawing &C;
  SourceLines &Sources;
  const LinkTo &Link;
  std::vector<std::string> Threads;
  std::vector<Spot> Spots;
  std::size_t Rows = 0;
};

} // namespace

std::string asSvg(const CycleDrawing &C, SourceLines &Sources, const LinkTo &Link) {
  return Drawer(C, Sources, Link).run();
}

} // namespace rdma
