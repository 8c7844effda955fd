#include "analyzer/diagram/Xml.h"

namespace rdma {
namespace {

constexpr int LaneWidth = 150, RowHeight = 34, Top = 64, Gap = 14, WordsWidth = 620, Left = 10,
              LetterWidth = 9; // of a heading

class Drawer {
public:
  Drawer(const Timeline &T, const LinkTo &Link) : T(T), Link(Link) {}

  std::string run() {
    int Width = wordsAt() + WordsWidth, Height = rowAt(T.Steps.size()) + 4;
    std::string Out =
        svgHead(Width, Height, "timeline", "an execution of " + number(T.Steps.size()) + " steps");
    columns(Out, Height);
    for (unsigned I = 0; I < T.Steps.size(); ++I)
      step(Out, I);
    return Out + "</svg>\n";
  }

private:
  int laneAt(unsigned Lane) const {
    int Before = 0;
    for (unsigned N = 0; N < T.Nodes.size() && T.Nodes[N].FirstLane <= Lane; ++N)
      Before = N * Gap;
    return Left + Before + static_cast<int>(Lane) * LaneWidth + LaneWidth / 2;
  }
  int wordsAt() const {
    return Left + static_cast<int>(T.Lanes.size()) * LaneWidth + static_cast<int>(T.Nodes.size()) * Gap + 10;
  }
  static int rowAt(unsigned Step) { return Top + static_cast<int>(Step) * RowHeight; }

  void columns(std::string &Out, int Height) const {
    for (const TimelineNode &N : T.Nodes) {
      int X = laneAt(N.FirstLane) - LaneWidth / 2;
      Out += "<rect x=\"" + number(X) + "\" y=\"2\" width=\"" + number(N.Lanes * LaneWidth) + "\" height=\"" +
             number(Height - 4) + "\" rx=\"6\" class=\"column\"/>\n";
      const std::string Head = "node " + N.Name;
      Out += textAt(X + 8, 20, "node", shortened(Head, N.Lanes * LaneWidth / LetterWidth), Head) + "\n";
    }
    for (unsigned L = 0; L < T.Lanes.size(); ++L) {
      Out += line(laneAt(L), 46, laneAt(L), Height - 8, "rule");
      Out += textAt(laneAt(L) - LaneWidth / 2 + 8, 40, "lane", T.Lanes[L].Title) + "\n";
    }
  }

  void step(std::string &Out, unsigned I) const {
    const TimelineStep &S = T.Steps[I];
    int X = laneAt(S.Lane), Y = rowAt(I) + RowHeight / 2 - 8;
    Out +=
        "<g class=\"step" + std::string(S.Shows ? " shows" : "") + "\" data-step=\"" + number(I + 1) + "\">";
    if (S.Since != None)
      Out += line(laneAt(T.Steps[S.Since].Lane), rowAt(S.Since) + RowHeight / 2 - 8, X, Y, "flight");
    if (S.Memory != None) {
      int M = laneAt(S.Memory);
      Out += S.Writes ? line(X, Y, M, Y, "writes") : line(M, Y, X, Y, "reads");
      Out += textAt(M - LaneWidth / 2 + 8, Y + 14, "value", S.Value);
    }
    Out += "<circle cx=\"" + number(X) + "\" cy=\"" + number(Y) + "\" r=\"5\" class=\"dot\"/>";
    std::string Words = textAt(wordsAt(), Y + 4, "words", number(I + 1) + "  " + S.Text);
    Out += linked(S.At, Link, Words + textAt(wordsAt() + WordsWidth - 150, Y + 4, "place", shortPlace(S.At)));
    Out += "</g>\n";
  }

  const Timeline &T;
  const LinkTo &Link;
};

} // namespace

std::string asSvg(const Timeline &T, const LinkTo &Link) { return Drawer(T, Link).run(); }

} // namespace rdma
